// The Uniswap v3 positions of an account, as a part of its page.
import type { Address } from "../../parameters.ts";
import { Pager } from "../parts/data-table.tsx";
import { MadeBy } from "../parts/made-by.tsx";
import { PositionTable } from "../parts/position-table.tsx";
import { readPositions } from "../positions-shown.ts";
import type { ShownBlock, ViewRequest } from "../view.ts";

/** @throws what positionsPage throws */
export async function accountPositions(request: ViewRequest, { at, owner }: { at: ShownBlock; owner: Address }) {
  const { chain, links, query, url } = request;
  if (!chain.v3) return <p class="empty">This chain has no v3 pools.</p>;
  const { page, tokens, ticks, size } = await readPositions(request, at, { of: { owner } });
  const after = query("after");
  const of = (cursor: string | undefined) =>
    links.of("account", owner, { block: at.block, token: query("token"), page: query("page"), after: cursor });
  const total = page.totalCount ?? page.entries.length;
  return (
    <>
      <PositionTable
        {...{ request, at, tokens, ticks }}
        caption="Uniswap v3 positions of the account"
        empty="It had no v3 position that was worth anything at this block."
        positions={page.entries}
        leaves="owner"
        made="positions"
      />
      {(page.hasNextPage || after !== undefined) && (
        <Pager
          total={`${total.toLocaleString("en")} positions`}
          first={after === undefined ? undefined : of(undefined)}
          next={page.hasNextPage ? of(page.entries.at(-1)?.cursor) : undefined}
        />
      )}
      <MadeBy
        id="positions"
        title="positions"
        url={url}
        graphql={`{ positions(owner: "${owner}", first: ${size}, block: { number: ${at.block} }, chainId: ${chain.chainId}) { totalCount nodes { id direct pool owner tickLower tickUpper liquidity principal0Decimal principal1Decimal fees0Decimal fees1Decimal worthUSD } pageInfo { hasNextPage endCursor } } }`}
        verify={page.entries[0] && `--pool ${page.entries[0].pool.address} --block ${at.block}`}
        note="Principal and fees are what taking all of it out would pay at the block. The worth is both times the tokens' prices, prices of a range are 1.0001 to the power of its ticks."
      />
    </>
  );
}
