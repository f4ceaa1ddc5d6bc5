// What is known about tokens: one, or all in order of first appearance.

import type { Operation } from "../context.ts";
import type { Snapshot } from "../database/snapshot.ts";
import { type AsOf, asOf } from "../history/as-of.ts";
import type { BlockChoice } from "../history/block-point.ts";
import { type BlockPoint, pointOf } from "../history/point.ts";
import { suppliesAt } from "../history/supply-at.ts";
import { isBrokenAt, readTokens, type TokenState } from "../history/token-state.ts";
import type { Address } from "../parameters.ts";
import { pinnedChoice, readCursor, requireSameBlock, writeCursor } from "./cursors.ts";
import { locateToken } from "./locate-token.ts";

export interface TokenAt {
  token: TokenState;
  /** Raw units at the block; undefined when the token's ledger cannot be told. */
  totalSupply: bigint | undefined;
  point: BlockPoint;
}

/** @throws TokenNotTrackedError, and what pointOf throws */
export const tokenAt: Operation<{ token: Address; block: BlockChoice }, TokenAt> = {
  name: "token",
  async run(input, context) {
    const { token, point } = await locateToken(context, input);
    const [supply] = await suppliesAt(context.snapshot, point, [token.address]);
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

/** Tokens with an event up to the block, oldest first. */
const seenTokens = (
  snapshot: Snapshot,
  { block, after, limit }: { block: number; after: readonly (string | number)[]; limit: number },
): Promise<SeenToken[]> => {
  const [afterBlock = -1, afterLog = -1] = after;
  return snapshot.rows<SeenToken>(`
    select '0x' || encode(key, 'hex') as address, first_block, first_log from ${snapshot.schemas.fold}.asset
     where kind = 'erc20' and first_block <= ${block}
       and (first_block, first_log) > (${Number(afterBlock)}, ${Number(afterLog)})
     order by first_block, first_log limit ${limit}`);
};

async function countTokens({ fold, point, cached }: AsOf): Promise<number> {
  const [row] = await cached<{ total: number }>(
    `select count(*)::int4 as total from ${fold}.asset where kind = 'erc20' and first_block <= $1::int4`,
    [String(point.block)],
  );
  return row?.total ?? 0;
}

/** @throws what pointOf throws; InvalidInputError naming `after` */
export const tokensPage: Operation<{ block: BlockChoice; first: number; after?: string | undefined }, TokensPage> = {
  name: "tokens",
  async run(input, context) {
    const { chain, snapshot } = context;
    const isPlace = (at: readonly (string | number)[]) =>
      at.length === 2 && at.every((step) => typeof step === "number");
    const cursor = input.after === undefined ? undefined : readCursor(input.after, isPlace);
    const point = await pointOf(context, pinnedChoice(input.block, cursor));
    requireSameBlock(cursor, point);
    const seen = await seenTokens(snapshot, { block: point.block, after: cursor?.at ?? [], limit: input.first + 1 });
    const shown = seen.slice(0, input.first);
    const addresses = shown.map((row) => row.address);
    const tokens = await readTokens(snapshot, chain.chainId, addresses);
    const supplies = await suppliesAt(snapshot, point, addresses);
    const entries = shown.flatMap((row, i) => {
      const token = tokens[i];
      if (!token) return [];
      const totalSupply = isBrokenAt(token, point) ? undefined : supplies[i];
      return [{ token, totalSupply, point, cursor: writeCursor(point, [row.first_block, row.first_log]) }];
    });
    const totalCount = await countTokens(asOf(snapshot, point));
    return { entries, totalCount, hasNextPage: seen.length > input.first, point };
  },
};
