// What accounts held on average over the blocks of a range, each block counting once: exactly from the intervals for
// wallets, or with what stands behind contracts at blocks sampled from the range.

import { isRankedPlace, type RankedPlace, rankedBatches, rankedPage } from "../balances/ranked-rows.ts";
import { sampledBlocks, sumTotals } from "../balances/sampled-totals.ts";
import { question } from "../cache/question.ts";
import type { Operation, OperationContext } from "../context.ts";
import { inBatches, mapBatches } from "../database/batches.ts";
import { summedAmounts, summedAmountsOf } from "../history/range-holdings.ts";
import type { Address } from "../parameters.ts";
import { readCursor, writeCursor } from "./cursors.ts";
import { type LocatedRange, locateRange, type RangeInput } from "./locate-range.ts";

/** Most blocks that one look-through may sample: each is a look-through of its own. */
export const MOST_SAMPLES = 25;
/** What to do about more. */
export const SAMPLES_RULE = `must be a number of blocks from 1 to ${MOST_SAMPLES}; for more ask for parts of the range, one by one`;

export interface TimeWeightedInput extends RangeInput {
  /** Distinct, lower case; without it everybody who held some at one of the blocks. */
  users?: readonly Address[] | undefined;
  /** How many blocks to look through; without it wallets alone, at every block. */
  samples?: number | undefined;
}

/** The average is `sum` ÷ `blocks`. */
export interface TimeWeightedBalance {
  account: Address;
  /** Raw units at the end of each block counted, added up. */
  sum: bigint;
}

export interface TimeWeighted {
  range: LocatedRange;
  /** How many blocks `sum` counts. */
  blocks: number;
  /** Which ones, where not every block of the range. */
  sampled: readonly number[] | undefined;
}

export interface TimeWeightedPage extends TimeWeighted {
  entries: (TimeWeightedBalance & { cursor: string })[];
  totalCount: number;
  hasNextPage: boolean;
}

/** Rounded down to the token's smallest unit. */
export const averageRoundedDown = ({ sum }: TimeWeightedBalance, { blocks }: Pick<TimeWeighted, "blocks">): bigint =>
  sum / BigInt(blocks);

const toEntry = ({ account, rank }: { account: Address; rank: string }): TimeWeightedBalance => ({
  account,
  sum: BigInt(rank),
});

const countedBlocks = (range: LocatedRange, samples: number | undefined): TimeWeighted => {
  const { from, to } = range.holdings;
  if (samples === undefined) return { range, blocks: to - from + 1, sampled: undefined };
  const sampled = sampledBlocks({ from, to }, samples);
  return { range, blocks: sampled.length, sampled };
};

type PageInput = TimeWeightedInput & { first: number; after?: string | undefined };

/**
 * One page, largest averages first and then by account; with `users` in the order asked, zeros included.
 * @throws what locateRange throws; with samples what balances throws at one of them
 */
export const timeWeightedPage: Operation<PageInput, TimeWeightedPage> = {
  name: "timeWeightedBalances",
  async run(input, context) {
    const { users, first } = input;
    const isPlace = users
      ? (at: readonly (string | number)[]) => at.length === 1 && typeof at[0] === "number"
      : isRankedPlace;
    const cursor = input.after === undefined ? undefined : readCursor(input.after, isPlace);
    const range = await locateRange(context, { ...input, cursor });
    const counted = countedBlocks(range, input.samples);
    if (users) {
      const start = Number(cursor?.at[0] ?? 0);
      const listed = users.slice(start, start + first);
      const rows = await sumsOf(context, counted, listed);
      const entries = rows.map((row, i) => ({ ...row, cursor: writeCursor(range.to, [start + i + 1]) }));
      return { ...counted, entries, totalCount: users.length, hasNextPage: start + listed.length < users.length };
    }
    const after: RankedPlace | undefined = cursor && [String(cursor.at[0]), String(cursor.at[1])];
    const { rows, total } = await pageOfAll(context, counted, { after, limit: first + 1 });
    const entries = rows
      .slice(0, first)
      .map((row) => ({ ...row, cursor: writeCursor(range.to, [String(row.sum), row.account]) }));
    return { ...counted, entries, totalCount: total, hasNextPage: rows.length > first };
  },
};

/** All of them in the same order, fetched as they are taken. */
export const timeWeightedRows: Operation<
  TimeWeightedInput,
  TimeWeighted & { batches: AsyncIterator<TimeWeightedBalance[]> }
> = {
  name: "timeWeightedBalances",
  async run(input, context) {
    const counted = countedBlocks(await locateRange(context, input), input.samples);
    const { range, sampled } = counted;
    if (input.users)
      return { ...counted, batches: inBatches(await sumsOf(context, counted, input.users), ROWS_PER_BATCH) };
    if (sampled) return { ...counted, batches: inBatches(await sampledSums(context, counted), ROWS_PER_BATCH) };
    await context.snapshot.open();
    const batches = rankedBatches(context.snapshot, summedAmounts(range.holdings), { columns: [] });
    return { ...counted, batches: mapBatches(batches, toEntry) };
  },
};

const ROWS_PER_BATCH = 1_000;

/** Of named accounts, in their order. */
async function sumsOf(
  context: OperationContext,
  { range, sampled }: TimeWeighted,
  users: readonly Address[],
): Promise<TimeWeightedBalance[]> {
  if (users.length === 0) return [];
  if (!sampled) {
    const { text, parameters } = summedAmountsOf(range.holdings, users);
    const rows = await context.snapshot.rows<{ account: Address; rank: string }>(
      `select '0x' || encode(account, 'hex') as account, rank::text as rank from (${text}) s order by place`,
      parameters,
    );
    return rows.map(toEntry);
  }
  const { token } = range.located;
  const sums = await sumTotals(context, { token: token.address, assetId: token.assetId, blocks: sampled, users });
  return users.map((account) => ({ account, sum: sums.get(account) ?? 0n }));
}

async function pageOfAll(
  context: OperationContext,
  counted: TimeWeighted,
  page: { after: RankedPlace | undefined; limit: number },
): Promise<{ rows: TimeWeightedBalance[]; total: number }> {
  if (!counted.sampled) {
    const found = await rankedPage(context.snapshot, summedAmounts(counted.range.holdings), { columns: [], ...page });
    return { rows: found.rows.map(toEntry), total: found.total };
  }
  const all = await sampledSums(context, counted);
  const { after } = page;
  const start = after ? all.findIndex((row) => byRank(row, { sum: BigInt(after[0]), account: after[1] }) > 0) : 0;
  return { rows: start < 0 ? [] : all.slice(start, start + page.limit), total: all.length };
}

/** Largest first, then by account. */
function byRank(a: { sum: bigint; account: string }, b: { sum: bigint; account: string }): number {
  if (a.sum !== b.sum) return a.sum > b.sum ? -1 : 1;
  return a.account < b.account ? -1 : Number(a.account > b.account);
}

/** Pages of one answer ask for the same sums. */
const sampledBalances = question<TimeWeightedBalance[]>("time-weighted-balances");

async function sampledSums(
  context: OperationContext,
  { range, sampled = [] }: TimeWeighted,
): Promise<TimeWeightedBalance[]> {
  const { token } = range.located;
  const { revision } = context.snapshot.state;
  const place = { at: range.to.hash, key: `${token.address} ${sampled.join(" ")}`, revision };
  return context.snapshot.cache.of(sampledBalances, place, async () => {
    const input = { token: token.address, assetId: token.assetId, blocks: sampled, users: undefined };
    const sums = await sumTotals(context, input);
    return [...sums].map(([account, sum]) => ({ account, sum })).sort(byRank);
  });
}
