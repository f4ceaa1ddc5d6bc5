// Uniswap v3 positions, of an account or in a pool, as a part of its page.
import { Pager } from "../parts/data-table.tsx";
import { cursorArgument, MadeBy } from "../parts/made-by.tsx";
import { PositionTable } from "../parts/position-table.tsx";
import { type PositionsOf, readPositions, type ShownPositions } from "../positions-shown.ts";
import type { ShownBlock, ViewRequest } from "../view.ts";

interface PositionsInput {
  at: ShownBlock;
  of: PositionsOf;
  /** What the page has read already. */
  known?: Pick<ShownPositions, "tokens" | "ticks">;
  caption: string;
  /** In words, where there are none. */
  empty: string;
  /** This page of positions by its cursor, the first without one. */
  linkTo(after: string | undefined): string;
}

/** @throws what positionsPage throws */
export async function positionList(request: ViewRequest, { at, of, known, caption, empty, linkTo }: PositionsInput) {
  const { page, tokens, ticks, size } = await readPositions(request, at, { of, known });
  const after = request.query("after");
  const total = page.totalCount ?? page.entries.length;
  const [subject, pool, fields] =
    "owner" in of
      ? [`owner: "${of.owner}"`, page.entries[0]?.pool.address, "id direct pool owner"]
      : [`pool: "${of.pool}"`, of.pool, "id direct owner"];
  return (
    <>
      <PositionTable
        request={request}
        at={at}
        tokens={tokens}
        ticks={ticks}
        caption={caption}
        empty={empty}
        positions={page.entries}
        leaves={"owner" in of ? "owner" : "pool"}
        made="positions"
      />
      {("pool" in of || page.hasNextPage || after !== undefined) && (
        <Pager
          total={`${total.toLocaleString("en")} ${total === 1 ? "position" : "positions"}`}
          first={after === undefined ? undefined : linkTo(undefined)}
          next={page.hasNextPage ? linkTo(page.entries.at(-1)?.cursor) : undefined}
        />
      )}
      <MadeBy
        id="positions"
        title="positions"
        url={request.url}
        graphql={`{ positions(${subject}, first: ${size}${cursorArgument(after)}, block: { number: ${at.block} }, chainId: ${request.chain.chainId}) { totalCount nodes { ${fields} tickLower tickUpper liquidity principal0Decimal principal1Decimal fees0Decimal fees1Decimal worthUSD } pageInfo { hasNextPage endCursor } } }`}
        verify={pool && `--pool ${pool} --block ${at.block}`}
        note="Principal and fees are what taking all of it out would pay at the block. The worth is both times the tokens' prices, prices of a range are 1.0001 to the power of its ticks."
      />
    </>
  );
}
