// What is known about tokens: one, or all in order of first appearance.
import { EVERY } from "../../core/ledgers/listing.ts";
import type { BlockChoice } from "../block-point.ts";
import type { Operation, OperationContext } from "../context.ts";
import { pinnedChoice, readCursor, requireSameBlock, writeCursor } from "../cursors.ts";
import { type BlockPoint, fixBlock } from "../ledger/point.ts";
import type { Snapshot } from "../ledger/snapshot.ts";
import { hasSoundLedger, readTokens, type TokenState } from "../ledger/token-state.ts";
import { ledgerAt } from "../lookthrough/ledger-at.ts";
import type { Address } from "../parameters.ts";
import { locateToken } from "./locate-token.ts";

export interface TokenAt {
  token: TokenState;
  /** Raw units at the block; undefined when the token's ledger cannot be told. */
  totalSupply: bigint | undefined;
  point: BlockPoint;
}

/** @throws TokenNotTrackedError, and what fixBlock throws */
export const tokenAt: Operation<{ token: Address; block: BlockChoice }, TokenAt> = {
  name: "token",
  async run(input, context) {
    const { token, point } = await locateToken(context, input);
    const [totalSupply] = await suppliesOf(context, point, [token]);
    return { token, totalSupply, point };
  },
};

/** In the order of `tokens`; undefined where the ledger cannot be told. */
async function suppliesOf(
  context: OperationContext,
  point: BlockPoint,
  tokens: readonly TokenState[],
): Promise<(bigint | undefined)[]> {
  const ledger = await ledgerAt(context, point);
  const supplies = await ledger.amounts(
    tokens.map(({ address }) => ({ kind: "supply", key: EVERY, account: address })),
  );
  return tokens.map((token, i) => (hasSoundLedger(token, point) ? supplies[i] : undefined));
}

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
  total: number;
}

/** Tokens with an event up to the block, oldest first. */
function seenTokens(
  snapshot: Snapshot,
  { block }: BlockPoint,
  page: { after: readonly (string | number)[]; limit: number },
): Promise<SeenToken[]> {
  const [afterBlock = -1, afterLog = -1] = page.after;
  return snapshot.prepared<SeenToken>(
    `with seen as (
       select key, first_block, first_log from ${snapshot.schemas.fold}.asset where kind = 'erc20' and first_block <= $1::int4)
     select '0x' || encode(key, 'hex') as address, first_block, first_log, (select count(*)::int from seen) as total
       from seen where (first_block, first_log) > ($2::int4, $3::int4)
      order by first_block, first_log limit $4::int4`,
    [block, Number(afterBlock), Number(afterLog), page.limit].map(String),
  );
}

/** @throws what fixBlock throws; InvalidInputError naming `after` */
export const tokensPage: Operation<{ block: BlockChoice; first: number; after?: string | undefined }, TokensPage> = {
  name: "tokens",
  async run(input, context) {
    const { chain, snapshot } = context;
    const isPlace = (at: readonly (string | number)[]) =>
      at.length === 2 && at.every((step) => typeof step === "number");
    const cursor = input.after === undefined ? undefined : readCursor(input.after, isPlace);
    const point = await snapshot.read((scope) => fixBlock(scope, chain, pinnedChoice(input.block, cursor)));
    requireSameBlock(cursor, point);
    const seen = await seenTokens(snapshot, point, { after: cursor?.at ?? [], limit: input.first + 1 });
    const shown = seen.slice(0, input.first);
    const tokens = await readTokens(
      snapshot,
      chain.chainId,
      shown.map((row) => row.address),
    );
    const supplies = await suppliesOf(context, point, tokens);
    const entries = shown.flatMap((row, i) => {
      const token = tokens[i];
      if (!token) return [];
      return [{ token, totalSupply: supplies[i], point, cursor: writeCursor(point, [row.first_block, row.first_log]) }];
    });
    return { entries, totalCount: seen[0]?.total ?? 0, hasNextPage: seen.length > input.first, point };
  },
};
