// The positions in a v3 pool, as a part of its page.
import type { ShownMarket } from "../market-shown.ts";
import { Pager } from "../parts/data-table.tsx";
import { MadeBy } from "../parts/made-by.tsx";
import { PositionTable } from "../parts/position-table.tsx";
import { readPositions } from "../positions-shown.ts";
import type { ShownBlock, ViewRequest } from "../view.ts";

/** @throws what positionsPage throws */
export async function poolPositions(request: ViewRequest, { at, shown }: { at: ShownBlock; shown: ShownMarket }) {
  const { chain, links, query, url } = request;
  const pool = shown.market.address;
  const tick = shown.pool?.slot?.tick;
  const known = { tokens: shown.tokens, ticks: new Map(tick === undefined ? [] : [[pool, tick] as const]) };
  const { page, tokens, ticks, size } = await readPositions(request, at, { of: { pool }, known });
  const of = (after: string | undefined) => links.of("pool", pool, { block: at.block, after });
  const total = page.totalCount ?? page.entries.length;
  return (
    <>
      <PositionTable
        {...{ request, at, tokens, ticks }}
        caption="Positions in the pool, token ids first"
        empty="No position in it is worth anything at this block."
        positions={page.entries}
        leaves="pool"
        made="positions"
      />
      <Pager
        total={`${total.toLocaleString("en")} ${total === 1 ? "position" : "positions"}`}
        first={query("after") === undefined ? undefined : of(undefined)}
        next={page.hasNextPage ? of(page.entries.at(-1)?.cursor) : undefined}
      />
      <MadeBy
        id="positions"
        title="positions"
        url={url}
        graphql={`{ positions(pool: "${pool}", first: ${size}, block: { number: ${at.block} }, chainId: ${chain.chainId}) { totalCount nodes { id direct owner tickLower tickUpper liquidity principal0Decimal principal1Decimal fees0Decimal fees1Decimal worthUSD } pageInfo { hasNextPage endCursor } } }`}
        verify={`--pool ${pool} --block ${at.block}`}
        note="Principal and fees are what taking all of it out would pay at the block. The worth is both times the tokens' prices, prices of a range are 1.0001 to the power of its ticks."
      />
    </>
  );
}
