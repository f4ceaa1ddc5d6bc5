// Where a v3 pool's liquidity lies and which islands manage some of it, as a part of its page.
import type { Address } from "../../parameters.ts";
import { poolTicks } from "../../questions/pools.ts";
import { FIRST_PAGE, type VaultsPage, vaultsPage } from "../../questions/vaults.ts";
import { liquiditySteps } from "../liquidity-steps.ts";
import type { ShownMarket } from "../market-shown.ts";
import { NameLink, shortAddress } from "../parts/address.tsx";
import { DataTable } from "../parts/data-table.tsx";
import { LiquidityPicture } from "../parts/liquidity-picture.tsx";
import { MadeBy } from "../parts/made-by.tsx";
import { decimalsOf } from "../parts/position-table.tsx";
import { Count, ShownNumber, Usd } from "../parts/shown-number.tsx";
import { ShownText } from "../parts/shown-text.tsx";
import { RangeCell, TickPrice } from "../parts/tick-range.tsx";
import type { Decimals } from "../tick-price.ts";
import { atBlock, type ShownBlock, type ViewRequest } from "../view.ts";

/** All that a pool can have, at its narrowest spacing. */
const EVERY_TICK = 2_000_000;
const TICKS_LISTED = 100;
const MOST_ISLANDS = 100;

interface PoolLiquidity {
  at: ShownBlock;
  shown: ShownMarket;
}

/** @throws what poolTicks and vaultsPage throw */
export async function poolLiquidity(request: ViewRequest, { at, shown }: PoolLiquidity) {
  const { ask, chain, url } = request;
  const { market, tokens, pool } = shown;
  const { address } = market;
  const block = atBlock(at);
  const ticks = await ask(poolTicks, { pool: address, block, first: EVERY_TICK });
  const page = { ...FIRST_PAGE, limit: MOST_ISLANDS };
  const islands = await ask(vaultsPage, { block, user: undefined, filter: { search: address }, page });
  const decimals = decimalsOf(tokens, market);
  const place = `block: { number: ${at.block} }, chainId: ${chain.chainId}`;
  return (
    <section>
      <h2>Liquidity</h2>
      {pool?.slot && ticks.length > 0 ? (
        <LiquidityPicture
          steps={liquiditySteps(ticks)}
          tick={pool.slot.tick}
          spacing={pool.pool.tickSpacing}
          decimals={decimals}
          islands={rangesOf(islands)}
          names={[symbolIn(shown, market.token0), symbolIn(shown, market.token1)]}
          caption={`Liquidity by price at block ${at.block.toLocaleString("en")}; equal widths are equal factors of the price`}
        />
      ) : (
        <p class="empty">{pool?.slot ? "Nobody has put liquidity into it." : "It has not been given a price yet."}</p>
      )}
      <details>
        <summary>{`Its ${ticks.length.toLocaleString("en")} initialised ticks`}</summary>
        <Ticks ticks={ticks} decimals={decimals} current={pool?.slot?.tick} />
      </details>
      <MadeBy
        id="liquidity"
        title="liquidity"
        url={url}
        graphql={`{ pool(address: "${address}", ${place}) { tick liquidity ticks(first: 1000) { tick liquidityGross liquidityNet } } vaults(search: "${address}", limit: ${MOST_ISLANDS}, ${place}) { nodes { id lowerTick upperTick currentTick tvl apr } } }`}
        verify={`--pool ${address} --block ${at.block}`}
        note="Between two ticks lies the sum of liquidityNet up to there. Further ticks than the first 1,000 are asked for with after."
      />
      <h2>Islands in it</h2>
      <Islands request={request} at={at} islands={islands} decimals={decimals} tick={pool?.slot?.tick} />
    </section>
  );
}

const symbolIn = ({ tokens }: ShownMarket, address: Address) => (
  <ShownText text={tokens.get(address)?.token.metadata?.symbol} most={12} fallback={shortAddress(address)} />
);

const rangesOf = ({ entries }: VaultsPage) =>
  entries.flatMap(({ vault: { lowerTick, upperTick } }) =>
    lowerTick === undefined || upperTick === undefined ? [] : [{ tickLower: lowerTick, tickUpper: upperTick }],
  );

interface TicksProps {
  ticks: readonly { tick: number; liquidityNet: bigint; liquidityGross: bigint }[];
  decimals: Decimals;
  current: number | undefined;
}

/** Those around the price where there are many. */
function Ticks({ ticks, decimals, current = 0 }: TicksProps) {
  const near = [...ticks]
    .sort((a, b) => Math.abs(a.tick - current) - Math.abs(b.tick - current))
    .slice(0, TICKS_LISTED)
    .sort((a, b) => a.tick - b.tick);
  const columns = [
    { head: "Tick", isNumber: true },
    { head: "Price", isNumber: true },
    { head: "Liquidity, upwards", isNumber: true },
    { head: "Liquidity that begins or ends here", isNumber: true },
  ];
  const rows = near.map(({ tick, liquidityNet, liquidityGross }) => [
    <Count count={tick} made="liquidity" />,
    <TickPrice tick={tick} decimals={decimals} />,
    <ShownNumber exact={String(liquidityNet)} made="liquidity" />,
    <ShownNumber exact={String(liquidityGross)} made="liquidity" />,
  ]);
  return (
    <>
      {ticks.length > near.length && <p class="quiet">{`The ${near.length} nearest to the price are listed.`}</p>}
      <DataTable columns={columns} rows={rows} caption="Initialised ticks" empty="It has none." />
    </>
  );
}

interface IslandsProps {
  request: ViewRequest;
  at: ShownBlock;
  islands: VaultsPage;
  decimals: Decimals;
  tick: number | undefined;
}

function Islands({ request, at, islands, decimals, tick }: IslandsProps) {
  const columns = [{ head: "Island" }, { head: "Prices it covers" }, { head: "TVL", isNumber: true }];
  const rows = islands.entries.map(({ vault }) => {
    const { lowerTick: tickLower, upperTick: tickUpper } = vault;
    return [
      <NameLink request={request} at={at} subject="vault" address={vault.address} symbol={symbolOf(islands, vault)} />,
      tickLower === undefined || tickUpper === undefined ? (
        <span class="quiet">unknown at this block</span>
      ) : (
        <RangeCell range={{ tickLower, tickUpper }} tick={tick} decimals={decimals} />
      ),
      <Usd usd={vault.tvl} made="liquidity" />,
    ];
  });
  return (
    <DataTable
      columns={columns}
      rows={rows}
      caption="Islands that manage a position in the pool"
      empty="No island manages a position in it."
    />
  );
}

const symbolOf = (
  { tokens }: VaultsPage,
  { address }: { address: VaultsPage["entries"][number]["vault"]["address"] },
) => tokens.get(address)?.metadata?.symbol;
