// From what somebody types to the page about it: an address leads there at once, a symbol to everything that bears it.
import { GatewayError } from "../../errors.ts";
import { type Address, address as addressShape } from "../../parameters.ts";
import { launchAt } from "../../questions/launches.ts";
import { poolAt } from "../../questions/pools.ts";
import { tokenAt, tokensPage } from "../../questions/tokens.ts";
import { vaultAt } from "../../questions/vaults.ts";
import { Empty, Pager } from "../parts/data-table.tsx";
import { readable } from "../parts/shown-text.tsx";
import { TokenTable, withPrices } from "../parts/token-table.tsx";
import type { Subject } from "../place.ts";
import type { View, ViewRequest } from "../view.ts";

const PER_PAGE = 50;

export async function search(request: ViewRequest): Promise<View> {
  const { links, query, isNewest } = request;
  const text = query("q")?.trim() ?? "";
  const typed = addressShape.safeParse(text);
  if (!typed.success) return matches(request, text);
  const pinned = isNewest ? undefined : query("block");
  const redirect = links.of(await subjectOf(request, typed.data), typed.data, { block: pinned });
  return { title: "Search", main: null, redirect };
}

/** What is at an address. A pool that issues shares is shown as the pool, an island as the vault that it is. */
async function subjectOf({ ask, block }: ViewRequest, at: Address): Promise<Subject> {
  if (await isThere(ask(poolAt, { pool: at, block }))) return "pool";
  const vault = await isThere(ask(vaultAt, { id: at, block, user: undefined }));
  if (vault) return vault.vault.provider === "v2" ? "pool" : "vault";
  const launch = await isThere(ask(launchAt, { address: at, block }));
  if (launch && launch.token.address !== at) return "pool";
  return (await isThere(ask(tokenAt, { token: at, block }))) ? "token" : "account";
}

/** Undefined where there is nothing; true where there is something that cannot be told. */
async function isThere<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof GatewayError && error.status === 404) return undefined;
    throw error;
  }
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
      <p class="quiet">Anybody can give a token any symbol: the address tells which one it is.</p>
      <TokenTable
        {...{ request, at, tokens }}
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
