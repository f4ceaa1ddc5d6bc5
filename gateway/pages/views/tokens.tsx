// All tokens of a chain at a block, page by page.
import { tokensPage } from "../../questions/tokens.ts";
import { BlockBar, readMarks } from "../parts/block-bar.tsx";
import { Pager } from "../parts/data-table.tsx";
import { cursorArgument, MadeBy } from "../parts/made-by.tsx";
import { TokenTable, tokensPath, withPrices } from "../parts/token-table.tsx";
import type { View, ViewRequest } from "../view.ts";

const PER_PAGE = 50;

export async function tokens(request: ViewRequest): Promise<View> {
  const { ask, block, chain, links, query, url } = request;
  const after = query("after");
  const page = await ask(tokensPage, { block, first: PER_PAGE, after });
  const at = page.point;
  const shown = await withPrices(request, at, page.entries);
  const marks = await readMarks(request);
  const last = page.entries.at(-1)?.cursor;
  const place = `first: ${PER_PAGE}${cursorArgument(after)}, block: { number: ${at.block} }, chainId: ${chain.chainId}`;
  const main = (
    <>
      <h1>Tokens</h1>
      <BlockBar request={request} at={at} marks={marks} />
      <TokenTable
        request={request}
        at={at}
        tokens={shown}
        caption="Tokens in order of their first event"
        empty="No token had moved by this block."
        made="tokens"
      />
      <Pager
        total={`${page.totalCount.toLocaleString("en")} tokens`}
        first={after === undefined ? undefined : links.to("tokens", { block: at.block })}
        next={page.hasNextPage ? links.to("tokens", { block: at.block, after: last }) : undefined}
      />
      <MadeBy
        id="tokens"
        title="tokens"
        url={url}
        rest={tokensPath(request, at, shown)}
        graphql={`{ tokens(${place}) { totalCount nodes { address symbol name totalSupply totalSupplyDecimal price { usd } } } }`}
        verify={shown[0] && `--token ${shown[0].token.address} --block ${at.block}`}
      />
    </>
  );
  return { title: "Tokens", main, at };
}
