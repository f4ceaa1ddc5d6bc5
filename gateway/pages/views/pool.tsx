// One market at a block: a v3 pool, a v2 pair or a launch curve. What a kind does not have is not shown.

import { type Address, address as addressShape, parseInput } from "../../parameters.ts";
import { tokensAmong } from "../../questions/token-details.ts";
import { pricesOf } from "../../questions/token-prices.ts";
import { hasPage } from "../known-tokens.ts";
import { DAYS_SHOWN } from "../market-days.ts";
import { type ShownMarket, shownMarket } from "../market-shown.ts";
import { AddressLink } from "../parts/address.tsx";
import { BlockBar, readMarks } from "../parts/block-bar.tsx";
import { Elsewhere } from "../parts/elsewhere.tsx";
import { LaunchProgress } from "../parts/launch-progress.tsx";
import { MadeBy } from "../parts/made-by.tsx";
import { MarketDays } from "../parts/market-day-table.tsx";
import { MarketFacts } from "../parts/market-facts.tsx";
import { Fee, PairName } from "../parts/pool-table.tsx";
import { subjectOf } from "../subject-of.ts";
import { atBlock, type ShownBlock, type View, type ViewRequest } from "../view.ts";
import { poolLiquidity } from "./pool-liquidity.tsx";
import { positionList } from "./position-list.tsx";

const kinds = { v2: "v2 pair", v3: "v3 pool", curve: "launch curve" } as const;

export async function pool(request: ViewRequest): Promise<View> {
  const { ask, block, param, isNewest, links } = request;
  const address = parseInput(addressShape, param("address"), "address");
  const { point: at } = await ask(pricesOf, { tokens: [], block });
  const shown = await shownMarket(request, at, address);
  if (!shown) return nothingThere(request, at, address);
  const { market, tokens, launch } = shown;
  const { protocol, token0, token1, fee } = market;
  const liquidity = shown.pool && (await poolLiquidity(request, { at, shown }));
  const tick = shown.pool?.slot?.tick;
  const positions =
    shown.pool &&
    (await positionList(request, {
      at,
      of: { pool: address },
      known: { tokens, ticks: new Map(tick === undefined ? [] : [[address, tick] as const]) },
      caption: "Positions in the pool, token ids first",
      empty: "No position in it is worth anything at this block.",
      linkTo: (after) => links.of("pool", address, { block: at.block, after }),
    }));
  const marks = await readMarks(request);
  const pinned = isNewest ? undefined : at.block;
  const [share] = protocol === "v2" ? await ask(tokensAmong, { keys: [address], point: at }) : [];
  const main = (
    <>
      <h1>
        <PairName tokens={tokens} token0={token0} token1={token1} />
      </h1>
      <p class="subtitle">
        {kinds[protocol]}
        {fee !== null && (
          <>
            {" · "}
            <Fee fee={fee} />
          </>
        )}
        {" · "}
        <AddressLink address={address} isWhole />
      </p>
      <BlockBar request={request} at={at} marks={marks} />
      {shown.stopped !== undefined && <p class="problem">{shown.stopped}</p>}
      <MarketFacts request={request} at={at} shown={shown} />
      {launch && <LaunchProgress request={request} at={at} launch={launch} />}
      {protocol === "v2" && (
        <p>
          What its shares pay and where they are staked:{" "}
          <a href={links.of("vault", address, { block: pinned })}>the vault</a>.{" "}
          {hasPage(share) ? (
            <>
              Who holds them: <a href={links.of("token", address, { block: pinned })}>the share</a>.
            </>
          ) : (
            "There are none yet."
          )}
        </p>
      )}
      <MadeByMarket request={request} at={at} shown={shown} />
      {liquidity}
      <h2>Days</h2>
      <MarketDays request={request} shown={shown} />
      {positions && (
        <>
          <h2>Positions</h2>
          {positions}
        </>
      )}
    </>
  );
  return { title: `Pool ${address}`, main, at };
}

async function nothingThere(request: ViewRequest, at: ShownBlock, address: Address): Promise<View> {
  const subject = await subjectOf(request, { address, block: atBlock(at) });
  const main = (
    <>
      <h1>There is no pool here</h1>
      <p class="problem">
        {`No v3 pool, v2 pair or launch curve is at ${address} at block ${at.block.toLocaleString("en")}.`}
      </p>
      {subject === "account" ? (
        <p>
          Nothing is known to be at this address at that block.{" "}
          <a href={request.links.of("account", address, { block: request.isNewest ? undefined : at.block })}>
            What it had as an account
          </a>
          .
        </p>
      ) : (
        <Elsewhere request={request} at={at} address={address} subject={subject} />
      )}
    </>
  );
  return { title: "No pool", main, at, status: 404 };
}

function MadeByMarket({ request, at, shown }: { request: ViewRequest; at: ShownBlock; shown: ShownMarket }) {
  const { chain, url } = request;
  const { address, protocol, token0, token1 } = shown.market;
  const from = (at.timestamp ?? 0) - (DAYS_SHOWN - 1) * 86_400;
  const series = `series(interval: day, from: ${from}, to: ${at.timestamp ?? 0}) { start block trades volume0Decimal volume1Decimal fees0Decimal fees1Decimal close volumeUSD tvlUSD price0USD price1USD }`;
  const held = (token: string) =>
    `balanceHistory(token: "${token}", account: "${address}", from: { number: ${at.block} }, to: { number: ${at.block} }, chainId: ${chain.chainId}) { token { address } closingDecimal }`;
  const holds = `holds0: ${held(token0)} holds1: ${held(token1)}`;
  const place = `block: { number: ${at.block} }, chainId: ${chain.chainId}`;
  const rest = {
    v3: undefined,
    v2: `/vaults/${address}?chainId=${chain.chainId}&blockNumber=${at.block}`,
    curve: `/launch/${chain.chainId}/tokens/${address}`,
  }[protocol];
  const own = {
    v3: `pool(address: "${address}", ${place}) { sqrtPriceX96 tick liquidity fee protocolFees0 protocolFees1 }`,
    v2: `vault(id: "${address}", ${place}) { amount0Decimal amount1Decimal tvl apr weeklyFeesEarnedUSD }`,
    curve: `launch(address: "${address}", ${place}) { price raisedDecimal totalRaiseDecimal progress graduatedBlock dexPair holdersCount swapsCount volumeUSD unpricedVolume curve { sqrtPa sqrtPb sqrtPrice tokenReserve tokenReserveDecimal baseReserve } }`,
  }[protocol];
  const checks = { v3: `--pool ${address} --block ${at.block}`, v2: "--vaults --samples 1", curve: undefined }[
    protocol
  ];
  const rule = {
    v3: "The price is sqrtPriceX96 squared, divided by 2^192, in whole tokens.",
    v2: "The price is one reserve divided by the other, in whole tokens; REST has the same pair as a vault.",
    curve: "REST answers for the newest block alone. The curve's own getCurrentPrice() returns the same price.",
  }[protocol];
  const days = `facts(${place}) { markets(where: { address: ["${address}"] }) { nodes { protocol token0 token1 fee ${series} } } }`;
  return (
    <>
      <MadeBy
        id="figures"
        title="price and sums"
        url={url}
        graphql={`{ ${own} ${days} }`}
        verify={checks}
        note={`${rule} Sums are of the last seven days; fees in USD are the fees of both tokens at the prices of each day's last block.`}
      />
      <MadeBy
        id="market"
        title="value and days"
        url={url}
        rest={rest}
        graphql={`{ ${own} ${days} ${holds} }`}
        verify={checks}
        note="TVL is the last day's tvlUSD, which ends with the block; what the market holds is what its address has in its own wallet."
      />
    </>
  );
}
