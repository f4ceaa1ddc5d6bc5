// A token as people name it: by address, or by symbol where that is the only one.
import { UsageError } from "../machine/command-line.ts";
import { type Ask, RefusedError } from "./gateway-client.ts";
import { tableLines } from "./table.ts";

const ADDRESS = /^0x[0-9a-f]{40}$/i;
const PAGE = 1_000;
const MOST_SHOWN = 20;

interface NamedToken {
  address: string;
  symbol: string | null;
  name: string | null;
  firstBlock: number | null;
}

interface TokensPage {
  tokens: { nodes: NamedToken[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } };
}

/** `search` finds the text in names too. */
const TOKENS = `query Symbols($search: String!, $after: String, $chainId: Int) {
  tokens(search: $search, first: ${PAGE}, after: $after, chainId: $chainId) {
    nodes { address symbol name firstBlock }
    pageInfo { hasNextPage endCursor }
  }
}`;

const NATIVE = `query Native($symbols: [String!]!, $chainId: Int) {
  tokenPrices(addresses: $symbols, chainId: $chainId) { id }
}`;

export interface Resolving {
  ask: Ask;
  chainId: number | undefined;
}

/**
 * The address of the token: an address as it is given, or that of the one token of the chain with this symbol, in any case.
 * Symbols are not unique: anybody may deploy another HONEY, so where several tokens have the symbol, none is taken.
 * @throws UsageError where no token or several have the symbol
 */
export async function resolveToken({ ask, chainId }: Resolving, parameter: string, word: string): Promise<string> {
  if (ADDRESS.test(word)) return word.toLowerCase();
  if (/^0x[0-9a-f]*$/i.test(word))
    throw new UsageError(`${parameter}: an address has 40 hex digits after 0x, not ${word.length - 2}`);
  const found: NamedToken[] = [];
  for (let after: string | null = null; ; ) {
    const page: TokensPage = (await ask<TokensPage>(TOKENS, { search: word, after, chainId })).data;
    const { nodes, pageInfo } = page.tokens;
    found.push(...nodes.filter(({ symbol }) => symbol?.toLowerCase() === word.toLowerCase()));
    if (!pageInfo.hasNextPage) break;
    after = pageInfo.endCursor;
  }
  const [only, ...others] = found;
  if (only === undefined)
    throw new UsageError(`${parameter}: no token has the symbol "${word}"; give its address, 0x and 40 hex digits`);
  if (others.length > 0)
    throw new AmbiguousNameError(`${parameter}: ${found.length} tokens have the symbol "${word}"`, tokenRows(found));
  return only.address;
}

const tokenRows = (tokens: readonly NamedToken[]): string[] =>
  tableLines(
    [
      { title: "address" },
      { title: "symbol", atMost: 24 },
      { title: "name", atMost: 40 },
      { title: "since block", align: "right" },
    ],
    tokens
      .slice(0, MOST_SHOWN)
      .map(({ address, symbol, name, firstBlock }) => [address, symbol ?? "", name ?? "", String(firstBlock ?? "")]),
  );

/** The same, but the chain's native symbol stays as it is: prices and quotes take it for its wrapped token. */
export async function resolveTokenOrNative(on: Resolving, parameter: string, word: string): Promise<string> {
  if (ADDRESS.test(word)) return word.toLowerCase();
  try {
    await on.ask(NATIVE, { symbols: [word], chainId: on.chainId });
    return word;
  } catch (error) {
    if (!(error instanceof RefusedError) || error.code !== "INVALID_INPUT") throw error;
  }
  return resolveToken(on, parameter, word);
}

/** Several things have the name that was given; the message lists them. */
export class AmbiguousNameError extends UsageError {
  override name = "AmbiguousNameError";
  readonly candidates: readonly string[];
  constructor(message: string, candidates: readonly string[]) {
    super(`${message}; give the address of one`);
    this.candidates = candidates;
  }
}
