// From what somebody types to the page about it: an address leads there at once, a symbol to everything that bears it.
import { address as addressShape, parseInput } from "../../parameters.ts";
import { tokenSearch, tokensPage } from "../../questions/tokens.ts";
import { Empty, Pager } from "../parts/data-table.tsx";
import { readable } from "../parts/shown-text.tsx";
import { TokenTable, withPrices } from "../parts/token-table.tsx";
import { subjectOf } from "../subject-of.ts";
import type { View, ViewRequest } from "../view.ts";

const PER_PAGE = 50;

export async function search(request: ViewRequest): Promise<View> {
  const { links, query } = request;
  const text = parseInput(tokenSearch, query("q")?.trim() ?? "", "q");
  const typed = addressShape.safeParse(text);
  if (!typed.success) return matches(request, text);
  const subject = await subjectOf(request, { address: typed.data, block: request.block });
  const redirect = links.of(subject, typed.data, { block: query("block"), at: query("at") });
  return { title: "Search", main: null, redirect };
}

async function matches(request: ViewRequest, text: string): Promise<View> {
  const { ask, block, links, query } = request;
  const title = text === "" ? "Search" : `Search: ${readable(text)}`;
  if (text === "")
    return {
      title,
      main: (
        <>
          <h1>Search</h1>
          <Empty>Type an address, or a part of a token's symbol or name, into the field above.</Empty>
        </>
      ),
    };
  const after = query("after");
  const page = await ask(tokensPage, { block, first: PER_PAGE, after, search: text });
  const at = page.point;
  const tokens = await withPrices(request, at, page.entries);
  const next = links.to("search", { block: at.block, q: text, after: page.entries.at(-1)?.cursor });
  const main = (
    <>
      <h1>
        Tokens called <bdi>{readable(text)}</bdi>
      </h1>
      <p class="quiet">Anybody can give a token any symbol: only the address shows which one it is.</p>
      <TokenTable
        request={request}
        at={at}
        tokens={tokens}
        caption="Matching tokens, oldest first"
        empty="No token has this in its symbol or name. An address has 0x and 40 hex digits."
      />
      <Pager
        total={`${page.totalCount.toLocaleString("en")} ${page.totalCount === 1 ? "token" : "tokens"}`}
        first={after === undefined ? undefined : links.to("search", { block: at.block, q: text })}
        next={page.hasNextPage ? next : undefined}
      />
    </>
  );
  return { title, main, at };
}
