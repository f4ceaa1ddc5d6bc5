// What is known about tokens: one, or all in order of first appearance.
import type { BlockChoice } from "../block-point.ts";
import type { Operation } from "../context.ts";
import { pinnedChoice, readCursor, requireSameBlock, writeCursor } from "../cursors.ts";
import type { FactsScope } from "../ledger/facts-scope.ts";
import { changesIn } from "../ledger/overlay.ts";
import { type BlockPoint, fixBlock } from "../ledger/point.ts";
import { suppliesAt, supplyAt } from "../ledger/supply-at.ts";
import { readTokens, type TokenState } from "../ledger/token-state.ts";
import { brokenAbove } from "../ledger/tokens-above.ts";
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
    const { token, overlay, point } = await locateToken(context, input);
    const isSound = token.quarantine === undefined && overlay.broken === undefined;
    const totalSupply = isSound
      ? await supplyAt(context.snapshot, point, { token: token.address, overlay })
      : undefined;
    return { token, totalSupply, point };
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
  total: number;
}

/** Tokens with an event up to the block, oldest first: those of the fold, then those seen above the watermark only. */
async function seenTokens(
  facts: FactsScope,
  page: { point: BlockPoint; after: readonly (string | number)[]; limit: number },
): Promise<SeenToken[]> {
  const { point, limit } = page;
  const [afterBlock = -1, afterLog = -1] = page.after;
  const { fold, ponder } = facts.schemas;
  const above =
    point.block <= point.watermark
      ? ""
      : `union all select * from (
           select distinct on (key) decode(substr(key, 3), 'hex'), block, log_index
             from (${changesIn(ponder, { after: point.watermark, upTo: point.block })}) d
            where kind = 'erc20'
              and not exists (select from ${fold}.asset a where a.kind = 'erc20' and a.key = decode(substr(d.key, 3), 'hex'))
            order by key, block, log_index) fresh`;
  return facts.rows<SeenToken>(`
    with seen as (
      select key, first_block, first_log from ${fold}.asset where kind = 'erc20' and first_block <= ${point.block} ${above})
    select '0x' || encode(key, 'hex') as address, first_block, first_log, (select count(*)::int from seen) as total
      from seen where (first_block, first_log) > (${Number(afterBlock)}, ${Number(afterLog)})
     order by first_block, first_log limit ${limit}`);
}

/** @throws what fixBlock throws; InvalidInputError naming `after` */
export const tokensPage: Operation<{ block: BlockChoice; first: number; after?: string | undefined }, TokensPage> = {
  name: "tokens",
  run(input, { chain, snapshot }) {
    const isPlace = (at: readonly (string | number)[]) =>
      at.length === 2 && at.every((step) => typeof step === "number");
    const cursor = input.after === undefined ? undefined : readCursor(input.after, isPlace);
    return snapshot.withFacts(async (facts) => {
      const point = await fixBlock(facts, chain, pinnedChoice(input.block, cursor));
      requireSameBlock(cursor, point);
      const seen = await seenTokens(facts, { point, after: cursor?.at ?? [], limit: input.first + 1 });
      const shown = seen.slice(0, input.first);
      const addresses = shown.map((row) => row.address);
      const tokens = await readTokens(facts, chain.chainId, addresses);
      const supplies = await suppliesAt(facts, point, addresses);
      const broken = await brokenAbove(facts, point);
      const entries = shown.flatMap((row, i) => {
        const token = tokens[i];
        if (!token) return [];
        const totalSupply = token.quarantine || broken.has(token.address) ? undefined : supplies[i];
        return [{ token, totalSupply, point, cursor: writeCursor(point, [row.first_block, row.first_log]) }];
      });
      return { entries, totalCount: seen[0]?.total ?? 0, hasNextPage: seen.length > input.first, point };
    });
  },
};
