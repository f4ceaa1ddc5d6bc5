// What is known about tokens: one, or all in order of first appearance.
import { z } from "zod";
import { ledgerAt } from "../backing/ledger-at.ts";
import type { Operation } from "../context.ts";
import type { Snapshot } from "../database/snapshot.ts";
import { type AsOf, asOf } from "../history/as-of.ts";
import type { BlockChoice } from "../history/block-choice.ts";
import type { BlockPoint } from "../history/point.ts";
import { readTokens } from "../history/read-tokens.ts";
import { isBrokenAt, type TokenState } from "../history/token-state.ts";
import { type Address, parseInput } from "../parameters.ts";
import { isLogPlace, pointOfPage, readCursor, writeCursor } from "./cursors.ts";
import { locateToken } from "./locate-token.ts";

export interface TokenAt {
  token: TokenState;
  /** Raw units at the block; undefined when unknown: the token is quarantined. */
  totalSupply: bigint | undefined;
  point: BlockPoint;
}

/** @throws TokenNotTrackedError, and what pointOf throws */
export const tokenAt: Operation<{ token: Address; block: BlockChoice }, TokenAt> = {
  name: "token",
  async run(input, context) {
    const { token, point } = await locateToken(context, input);
    const [supply] = await ledgerAt(context, point).supplies([token.address]);
    return { token, totalSupply: isBrokenAt(token, point) ? undefined : supply, point };
  },
};

export interface TokensPage {
  entries: (TokenAt & { cursor: string })[];
  totalCount: number;
  hasNextPage: boolean;
  point: BlockPoint;
}

interface SeenToken {
  address: Address;
  first_block: number;
  first_log: number;
}

/** The name that tokens must have, in any case. */
interface NameFilter {
  text: string;
  /** The whole symbol; else a part of symbol or name. */
  isSymbol: boolean;
}

/** SQL condition on an asset `a`: its token's symbol or name matches `parameter`. */
const hasName = (fold: string, parameter: string, { isSymbol }: NameFilter): string =>
  `exists (select from ${fold}.token t where t.address = a.key and ${
    isSymbol
      ? `lower(t.symbol) = lower(${parameter})`
      : `strpos(lower(coalesce(t.symbol, '') || chr(10) || coalesce(t.name, '')), lower(${parameter})) > 0`
  })`;

interface SeenInput {
  block: number;
  nameFilter: NameFilter | undefined;
  after: readonly (string | number)[];
  limit: number;
}

/** Tokens with an event up to the block, oldest first. */
const seenTokens = (snapshot: Snapshot, { block, nameFilter, after, limit }: SeenInput): Promise<SeenToken[]> => {
  const [afterBlock = -1, afterLog = -1] = after;
  const { fold } = snapshot;
  return snapshot.rows<SeenToken>(
    `select '0x' || encode(key, 'hex') as address, first_block, first_log from ${fold}.asset a
      where kind = 'erc20' and first_block <= ${block}
        and (first_block, first_log) > (${Number(afterBlock)}, ${Number(afterLog)})
        ${nameFilter === undefined ? "" : `and ${hasName(fold, "$1", nameFilter)}`}
      order by first_block, first_log limit ${limit}`,
    nameFilter === undefined ? [] : [nameFilter.text],
  );
};

async function countTokens(
  { fold, point, cached, prepared }: AsOf,
  nameFilter: NameFilter | undefined,
): Promise<number> {
  // names are read from the chain later than the block is
  const read = nameFilter === undefined ? cached : prepared;
  const [row] = await read<{ total: number }>(
    `select count(*)::int4 as total from ${fold}.asset a where kind = 'erc20' and first_block <= $1::int4
       ${nameFilter === undefined ? "" : `and ${hasName(fold, "$2", nameFilter)}`}`,
    [String(point.block), ...(nameFilter === undefined ? [] : [nameFilter.text])],
  );
  return row?.total ?? 0;
}

/** A character that the database cannot store is in no symbol. */
export const tokenSearch = z
  .string()
  .max(200, "must be at most 200 characters")
  .regex(/^[^\0]*$/, "must not hold the character NUL");

interface TokensInput {
  block: BlockChoice;
  first: number;
  after?: string | undefined;
  /** Part of a symbol or name, in any case. */
  search?: string | undefined;
  /** `search` is the whole symbol. */
  isSymbol?: boolean | undefined;
}

/** @throws what pointOf throws; InvalidInputError naming `after` or `search` */
export const tokensPage: Operation<TokensInput, TokensPage> = {
  name: "tokens",
  async run(input, context) {
    const { snapshot } = context;
    const cursor = readCursor(input.after, isLogPlace);
    const point = await pointOfPage(context, { block: input.block, cursor });
    const search = input.search === undefined ? undefined : parseInput(tokenSearch, input.search, "search");
    const nameFilter = search === undefined ? undefined : { text: search, isSymbol: input.isSymbol ?? false };
    const after = cursor?.at ?? [];
    const seen = await seenTokens(snapshot, { block: point.block, nameFilter, after, limit: input.first + 1 });
    const shown = seen.slice(0, input.first);
    const addresses = shown.map((row) => row.address);
    const tokens = await readTokens(context, addresses);
    const supplies = await ledgerAt(context, point).supplies(addresses);
    const entries = shown.flatMap((row, i) => {
      const token = tokens[i];
      if (!token) return [];
      const totalSupply = isBrokenAt(token, point) ? undefined : supplies[i];
      return [{ token, totalSupply, point, cursor: writeCursor(point, [row.first_block, row.first_log]) }];
    });
    const totalCount = await countTokens(asOf(snapshot, point), nameFilter);
    return { entries, totalCount, hasNextPage: seen.length > input.first, point };
  },
};
