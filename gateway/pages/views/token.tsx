// A token at a block: what it was, where it sat, who had it, and in what it was traded.
import { type Address, address as addressShape, parseInput } from "../../parameters.ts";
import { type BalancesPage, balancesPage } from "../../questions/balances.ts";
import { type Distribution, distribution } from "../../questions/distribution.ts";
import { pricesOf } from "../../questions/token-prices.ts";
import { type TokenAt, tokenAt } from "../../questions/tokens.ts";
import { MARKETS_SHOWN, type MarketsOfToken, marketsOfToken } from "../markets-of-token.ts";
import { shortAddress } from "../parts/address.tsx";
import { BlockBar, readMarks } from "../parts/block-bar.tsx";
import { DataTable, Pager } from "../parts/data-table.tsx";
import { Downloads } from "../parts/downloads.tsx";
import { HolderTable } from "../parts/holder-table.tsx";
import { LaterPart } from "../parts/later-part.tsx";
import { cursorArgument, MadeBy } from "../parts/made-by.tsx";
import { Fee, PairName } from "../parts/pool-table.tsx";
import { Amount, Usd } from "../parts/shown-number.tsx";
import { TokenFigures, TokenTitle, TokenWarnings, titleOf } from "../parts/token-head.tsx";
import { WhereItSat } from "../parts/where-it-sat.tsx";
import { withQuery } from "../place.ts";
import { atBlock, type ShownBlock, type View, type ViewRequest } from "../view.ts";

const PER_PAGE = 50;

export async function token(request: ViewRequest): Promise<View> {
  const { ask, block, links, param, query } = request;
  const address = parseInput(addressShape, param("address"), "address");
  const shown = await ask(tokenAt, { token: address, block });
  const at = shown.point;
  const marks = await readMarks(request);
  const { prices } = await ask(pricesOf, { tokens: [address], block: atBlock(at) });
  const price = prices.get(address);
  const after = query("after");
  const hasBalances = shown.totalSupply !== undefined;
  const input = { token: address, block: atBlock(at), first: PER_PAGE, after, isWhole: true };
  const page = hasBalances ? await ask(balancesPage, input) : undefined;
  const sat = hasBalances ? await ask(distribution, { token: address, block: atBlock(at) }) : undefined;
  const markets = await marketsOfToken(request, at, address);
  const main = (
    <>
      <TokenTitle shown={shown} />
      <BlockBar request={request} at={at} marks={marks} />
      <TokenWarnings shown={shown} at={at} hasBalances={hasBalances} incomplete={page?.incomplete ?? []} />
      <TokenFigures shown={shown} price={price} sat={sat} made={{ token: "token", sat: "where" }} />
      <TokenMade request={request} at={at} address={address} />
      {sat && <Where request={request} at={at} sat={sat} />}
      {page && <Holders request={request} at={at} page={page} shown={shown} price={price} />}
      <Markets request={request} at={at} address={address} markets={markets} sat={sat} />
      {sat && sat.supply > 0n && (
        <LaterPart title="Over time" href={withQuery(`${links.of("token", address)}/history`, { block: at.block })}>
          Holders, price and concentration over time
        </LaterPart>
      )}
    </>
  );
  return { title: titleOf(shown), main, at };
}

interface Shown {
  request: ViewRequest;
  at: ShownBlock;
}

const verifyOf = (address: Address, at: ShownBlock): string => `--token ${address} --block ${at.block}`;
const placeOf = ({ chain }: ViewRequest, { block }: ShownBlock): string =>
  `block: { number: ${block} }, chainId: ${chain.chainId}`;

function TokenMade({ request, at, address }: Shown & { address: Address }) {
  const { chain, url } = request;
  return (
    <MadeBy
      id="token"
      title="the token"
      url={url}
      rest={`/tokens?addresses=${address}&blockNumber=${at.block}&chainId=${chain.chainId}`}
      graphql={`{ token(address: "${address}", ${placeOf(request, at)}) { symbol name decimals totalSupply totalSupplyDecimal flags quarantine { block reason } price { usd strategy } } }`}
      verify={verifyOf(address, at)}
      note="The supply at this price is the supply times the price of a whole token."
    />
  );
}

function Where({ request, at, sat }: Shown & { sat: Distribution }) {
  const { address } = sat.located.token;
  const { chain, url } = request;
  return (
    <section>
      <h2>Where it sat</h2>
      {sat.supply === 0n ? (
        <p class="empty">There was none of it at this block.</p>
      ) : (
        <WhereItSat
          request={request}
          at={at}
          sat={sat}
          caption={`All of its supply at block ${at.block.toLocaleString("en")}; each part opens to what it consists of`}
          made="where"
        />
      )}
      <MadeBy
        id="where"
        title="where it sat"
        url={url}
        rest={`/balances/${address}/distribution?blockNumber=${at.block}&chainId=${chain.chainId}`}
        graphql={`{ distribution(token: "${address}", ${placeOf(request, at)}) { supply supplyDecimal holders top10 top10Decimal top100 top100Decimal sources { source amount amountDecimal contracts { contract symbol amount amountDecimal ways { contracts amount amountDecimal } } } unattributed { contract reason amount amountDecimal } } }`}
        verify={verifyOf(address, at)}
        note="Sums over all holders; with what is unattributed they are the supply, to the wei."
      />
    </section>
  );
}

interface HoldersProps extends Shown {
  page: BalancesPage;
  shown: TokenAt;
  price: Parameters<typeof HolderTable>[0]["price"];
}

function Holders({ request, at, page, shown, price }: HoldersProps) {
  const { chain, links, query, url } = request;
  const { address } = shown.token;
  const after = query("after");
  const pageAt = (cursor?: string) => links.of("token", address, { block: at.block, after: cursor });
  const total = `${page.totalCount.toLocaleString("en")} ${page.totalCount === 1 ? "holder" : "holders"}`;
  return (
    <section>
      <h2>Holders</h2>
      <HolderTable
        request={request}
        at={at}
        page={page}
        price={price}
        empty="Nobody held it at this block."
        made="holders"
      />
      <Pager
        total={total}
        first={after === undefined ? undefined : pageAt()}
        next={page.hasNextPage ? pageAt(page.entries.at(-1)?.cursor) : undefined}
      />
      <MadeBy
        id="holders"
        title="holders"
        url={url}
        // as one JSON answer REST has no balances of a token without decimals
        rest={`/balances/${address}?blockNumber=${at.block}&chainId=${chain.chainId}${shown.token.metadata?.decimals === undefined ? "&format=ndjson" : ""}`}
        graphql={`{ balances(token: "${address}", ${placeOf(request, at)}, first: ${PER_PAGE}${cursorArgument(after)}) { totalCount token { totalSupply totalSupplyDecimal price { usd } } nodes { rank account total totalDecimal sources { source value valueDecimal } } } }`}
        verify={verifyOf(address, at)}
        note="A share is the total of the supply; USD are the total times the price of a whole token. A contract that holds it for others is replaced by them."
      />
      <Downloads request={request} at={at} token={shown.token} holders={page.totalCount} />
    </section>
  );
}

interface MarketsProps extends Shown {
  address: Address;
  markets: MarketsOfToken;
  sat: Distribution | undefined;
}

function Markets({ request, at, address, markets: { pools, vaults, known }, sat }: MarketsProps) {
  const { isNewest, links, url } = request;
  const block = isNewest ? undefined : at.block;
  const decimals = known.get(address)?.token.metadata?.decimals ?? sat?.located.token.metadata?.decimals;
  const positions = sat?.sources.find(({ kind }) => kind === "v3-position");
  const inPositions = new Map(positions?.contracts.map(({ contract, amount }) => [contract, amount]));
  const areAllNamed = positions === undefined || positions.contracts.length === positions.contractsCount;
  const nameOf = (tokens: { token0: string; token1: string }, contract: string, subject: "pool" | "vault") => (
    <a class="name" href={links.of(subject, contract, { block })} title={contract}>
      <PairName tokens={known} token0={tokens.token0 as Address} token1={tokens.token1 as Address} />{" "}
      <code class="address quiet">{shortAddress(contract)}</code>
    </a>
  );
  const place = placeOf(request, at);
  return (
    <section>
      <h2>Pools and vaults with it</h2>
      <div class="columns">
        <div>
          <h3>v3 pools</h3>
          <DataTable
            caption="v3 pools of the token, oldest first"
            columns={[{ head: "Pool" }, { head: "Fee", isNumber: true }, { head: "In positions", isNumber: true }]}
            rows={pools.entries.map(({ pool }) => [
              nameOf(pool, pool.address, "pool"),
              <Fee fee={pool.fee} />,
              <Amount
                // what a stopped pool holds is nobody's, and of many pools only the largest are named
                raw={inPositions.get(pool.address) ?? (sat && areAllNamed && !pool.stopped ? 0n : undefined)}
                decimals={decimals}
                made={inPositions.has(pool.address) ? "where" : undefined}
              />,
            ])}
            empty="No v3 pool has it."
          />
          <MoreMarkets count={pools.totalCount} name="v3 pools" />
        </div>
        <div>
          <h3>Islands and v2 pairs</h3>
          <DataTable
            caption="Islands and v2 pairs of the token, largest first"
            columns={[{ head: "Shares" }, { head: "Kind" }, { head: "TVL", isNumber: true }]}
            rows={vaults.entries.map(({ vault }) => [
              nameOf(vault, vault.address, vault.provider === "v2" ? "pool" : "vault"),
              vault.provider === "v2" ? "v2 pair" : "island",
              <Usd usd={vault.tvl} made="markets" />,
            ])}
            empty="No island and no v2 pair has it."
          />
          <MoreMarkets count={vaults.count} name="islands and pairs" />
        </div>
      </div>
      <MadeBy
        id="markets"
        title="pools and vaults"
        url={url}
        rest={`/vaults?search=${address}&blockNumber=${at.block}&chainId=${request.chain.chainId}`}
        graphql={`{ pools(token: "${address}", ${place}, first: ${MARKETS_SHOWN}) { totalCount nodes { address token0 token1 fee } } vaults(search: "${address}", ${place}, limit: ${MARKETS_SHOWN}) { count nodes { id provider aprDetail { tvlUSD } } } }`}
      />
    </section>
  );
}

function MoreMarkets({ count, name }: { count: number; name: string }) {
  if (count <= MARKETS_SHOWN) return null;
  return <p class="quiet">{`${MARKETS_SHOWN} of ${count.toLocaleString("en")} ${name}.`}</p>;
}
