// The shape of a Uniswap token list (npm @uniswap/token-lists) and what has to be done to names to fit it.
import type { ChainFile } from "../../../chains/chain-file.ts";
import type { Address } from "../../parameters.ts";

/** The schema's bounds. */
const LONGEST_LIST_NAME = 30;
const LONGEST_NAME = 60;
const LONGEST_SYMBOL = 20;
const MOST_TOKENS = 10_000;

export interface GraduatedToken {
  address: Address;
  graduated: { block: number; logIndex: number; timestamp: number };
  name: string | undefined;
  symbol: string | undefined;
  decimals: number;
}

export interface TokenList {
  name: string;
  /** ISO 8601. */
  timestamp: string;
  version: { major: number; minor: number; patch: number };
  tokens: { chainId: number; address: Address; name: string; symbol: string; decimals: number }[];
}

/** First `most` characters, whole ones: a surrogate pair is not cut in half. */
const cut = (text: string, most: number): string => {
  let short = "";
  for (const character of text) {
    if (short.length + character.length > most) break;
    short += character;
  }
  return short;
};

/** No whitespace, at most 20 characters, never empty. */
export const listedSymbol = (symbol: string | undefined): string =>
  cut((symbol ?? "").trim().replaceAll(/\s+/g, "-"), LONGEST_SYMBOL) || "UNKNOWN";

/** The only whitespace is single spaces; at most 60 characters, never empty. */
export const listedName = (name: string | undefined, symbol: string): string =>
  cut((name ?? "").trim().replaceAll(/\s+/g, " "), LONGEST_NAME).trim() || symbol;

/** ISO 8601 with milliseconds, UTC, of Unix seconds. */
export const isoTime = (seconds: number): string => new Date(seconds * 1000).toISOString();

/**
 * A list of `tokens`, which come in the order of their graduation. Its minor version counts them, its time is that of the
 * last graduation, or of the chain's first indexed block. The latest 10,000 are listed: more would not be valid.
 */
export function buildTokenList(
  chain: Pick<ChainFile, "chainId" | "name">,
  { tokens, start }: { tokens: readonly GraduatedToken[]; start: number | undefined },
): TokenList {
  return {
    name: cut(`Launched on ${chain.name.replaceAll("-", " ")}`, LONGEST_LIST_NAME).trim(),
    timestamp: isoTime(tokens.at(-1)?.graduated.timestamp ?? start ?? 0),
    version: { major: 1, minor: tokens.length, patch: 0 },
    tokens: tokens.slice(-MOST_TOKENS).map(({ address, name, symbol, decimals }) => {
      const shown = listedSymbol(symbol);
      return { chainId: chain.chainId, address, name: listedName(name, shown), symbol: shown, decimals };
    }),
  };
}
