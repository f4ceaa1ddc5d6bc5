// What accounts held on average over the blocks of a range, exactly: wherever it sat, or in their own wallets alone.

import { totalOf } from "../../core/amounts.ts";
import { type AverageHoldings, type AverageOfAll, averagesOf, averagesOfAll } from "../averages/average-holdings.ts";
import type { Weight } from "../averages/clock.ts";
import { walletSums, walletSumsOf, weightOf } from "../averages/wallet-sums.ts";
import { isRankedPlace, type RankedPlace, rankedBatches, rankedPage } from "../balances/ranked-rows.ts";
import { allSources, type Source } from "../balances/source.ts";
import { question } from "../cache/question.ts";
import type { Operation, OperationContext } from "../context.ts";
import { inBatches, mapBatches } from "../database/batches.ts";
import { summedAmounts } from "../history/range-holdings.ts";
import type { Address } from "../parameters.ts";
import { isNumberPlace, readCursor, writeCursor } from "./cursors.ts";
import { type LocatedRange, locateRange, type RangeInput } from "./locate-range.ts";

interface TimeWeightedInput extends RangeInput {
  /** Distinct, lower case; without it everybody with an average of at least one raw unit, or of wallets everybody who held some. */
  users?: readonly Address[] | undefined;
  weight: Weight;
  /** Unless it is, wallets alone. */
  lookThrough: boolean;
}

export interface TimeWeightedBalance {
  account: Address;
  /** Of wallets alone: raw units at the end of each block times its weight, added up; the average is `sum` ÷ `total`. */
  sum: bigint | undefined;
  /** Raw units, rounded down: of wallets once, else once for each way from the token to the account. */
  average: bigint;
  /** Of an average wherever it sat. */
  sources: readonly Source[];
}

export interface TimeWeighted {
  range: LocatedRange;
  weight: Weight;
  /** What all blocks weigh together. */
  total: bigint;
  /** Of everybody, wherever it sat: all averages and all of this sum up to the average supply. */
  rest: Pick<AverageOfAll, "supply" | "unattributed" | "rounding"> | undefined;
  /** Contracts whose holding of the token cannot be attributed to accounts, at some block; of wallets alone nothing is missing. */
  incomplete: readonly Address[];
}

export interface TimeWeightedPage extends TimeWeighted {
  entries: (TimeWeightedBalance & { cursor: string })[];
  totalCount: number;
  hasNextPage: boolean;
}

type PageInput = TimeWeightedInput & { first: number; after?: string | undefined };

/**
 * One page, largest averages first and then by account; with `users` in the order asked, zeros included.
 * @throws what locateRange throws; InvalidInputError naming `weight`; RequestTooLongError
 */
export const timeWeightedPage: Operation<PageInput, TimeWeightedPage> = {
  name: "timeWeightedBalances",
  async run(input, context) {
    const { users, first } = input;
    const cursor = readCursor(input.after, users ? isNumberPlace : isRankedPlace);
    const range = await locateRange(context, { ...input, cursor });
    const weighted = { range, weight: input.weight, lookThrough: input.lookThrough };
    if (users) {
      const start = Number(cursor?.at[0] ?? 0);
      const listed = users.slice(start, start + first);
      const { rows, ...rest } = await balancesOfUsers(context, weighted, listed);
      const entries = rows.map((row, i) => ({ ...row, cursor: writeCursor(range.to, [start + i + 1]) }));
      return { ...rest, entries, totalCount: users.length, hasNextPage: start + listed.length < users.length };
    }
    const after: RankedPlace | undefined = cursor && [String(cursor.at[0]), String(cursor.at[1])];
    const { rows, count, ...rest } = await pageOfAll(context, weighted, { after, limit: first + 1 });
    const entries = rows
      .slice(0, first)
      .map((row) => ({ ...row, cursor: writeCursor(range.to, [String(rankOf(row)), row.account]) }));
    return { ...rest, entries, totalCount: count, hasNextPage: rows.length > first };
  },
};

/** All of them in the same order, fetched as they are taken. */
export const timeWeightedRows: Operation<
  TimeWeightedInput,
  TimeWeighted & { batches: AsyncIterator<TimeWeightedBalance[]> }
> = {
  name: "timeWeightedBalances",
  async run(input, context) {
    const { weight, lookThrough, users } = input;
    const range = await locateRange(context, input);
    const weighted = { range, weight, lookThrough };
    if (users) {
      const { rows, ...rest } = await balancesOfUsers(context, weighted, users);
      return { ...rest, batches: inBatches(rows) };
    }
    if (lookThrough) {
      const all = await rankedAverages(context, weighted);
      const rows = inBatches(all.ranked);
      return { ...weighted, ...restOf(all), batches: mapBatches(rows, (account) => balanceOf(all, range, account)) };
    }
    const total = await weightOf(context, weighted);
    if (weight === "seconds") {
      const rows = inBatches(await rankedSums(context, weighted));
      return { ...weighted, ...OF_WALLETS, total, batches: mapBatches(rows, (row) => inWallet(row, total)) };
    }
    await context.snapshot.open();
    const batches = rankedBatches(context.snapshot, summedAmounts(range.holdings), []);
    const toRow = ({ account, rank }: { account: Address; rank: string }) => inWallet([account, BigInt(rank)], total);
    return { ...weighted, ...OF_WALLETS, total, batches: mapBatches(batches, toRow) };
  },
};

type Weighted = Pick<TimeWeighted, "range" | "weight"> & { lookThrough: boolean };

const inputOf = ({ range, weight }: Weighted) => {
  const { located, from, to } = range;
  return { token: located.token.address, from, to, weight };
};

const inWallet = ([account, sum]: readonly [Address, bigint], total: bigint): TimeWeightedBalance => ({
  account,
  sum,
  average: sum / total,
  sources: [],
});

/** By what rows are ordered. */
const rankOf = ({ sum, average }: TimeWeightedBalance): bigint => sum ?? average;

const OF_WALLETS = { rest: undefined, incomplete: [] } as const;

const restOf = ({ total, incomplete, supply, unattributed, rounding }: AverageOfAll) => ({
  total,
  incomplete,
  rest: { supply, unattributed, rounding },
});

function balanceOf({ parts, heldAs }: AverageHoldings, range: LocatedRange, account: Address): TimeWeightedBalance {
  const own = (parts.get(account) ?? []).map((part) => ({ ...part, principal: undefined }));
  const wallet = totalOf(own.filter(({ path }) => path.length === 1));
  const through = own.filter(({ path }) => path.length > 1);
  const sources = allSources({ token: range.located.token.address, amount: wallet }, { parts: through, heldAs });
  return { account, sum: undefined, average: totalOf(sources), sources };
}

/** In their order. */
async function balancesOfUsers(
  context: OperationContext,
  weighted: Weighted,
  users: readonly Address[],
): Promise<TimeWeighted & { rows: TimeWeightedBalance[] }> {
  const { range } = weighted;
  if (!weighted.lookThrough) {
    const total = await weightOf(context, weighted);
    const sums = users.length === 0 ? [] : await walletSumsOf(context, weighted, users);
    const rows = users.map((user, i) => inWallet([user, sums[i] ?? 0n], total));
    return { ...weighted, ...OF_WALLETS, total, rows };
  }
  const averages = await averagesOf(context, inputOf(weighted), users);
  const { total, incomplete } = averages;
  const rows = users.map((user) => balanceOf(averages, range, user));
  return { ...weighted, total, incomplete, rest: undefined, rows };
}

interface PageOfAll extends TimeWeighted {
  rows: TimeWeightedBalance[];
  count: number;
}

async function pageOfAll(
  context: OperationContext,
  weighted: Weighted,
  page: { after: RankedPlace | undefined; limit: number },
): Promise<PageOfAll> {
  const { range, weight, lookThrough } = weighted;
  if (lookThrough) {
    const all = await rankedAverages(context, weighted);
    const start = placeAfter(all.ranked, page.after, (account) => [averageOf(all, account), account]);
    const listed = all.ranked.slice(start, start + page.limit);
    const rows = listed.map((account) => balanceOf(all, range, account));
    return { ...weighted, ...restOf(all), rows, count: all.ranked.length };
  }
  const total = await weightOf(context, weighted);
  if (weight === "seconds") {
    const sums = await rankedSums(context, weighted);
    const start = placeAfter(sums, page.after, ([account, sum]) => [sum, account]);
    const rows = sums.slice(start, start + page.limit).map((row) => inWallet(row, total));
    return { ...weighted, ...OF_WALLETS, total, rows, count: sums.length };
  }
  const found = await rankedPage(context.snapshot, summedAmounts(range.holdings), { columns: [], ...page });
  const rows = found.rows.map(({ account, rank }) => inWallet([account, BigInt(rank)], total));
  return { ...weighted, ...OF_WALLETS, total, rows, count: found.total };
}

type Rank = readonly [amount: bigint, account: string];

/** Largest first, then by account. */
function byRank([a, one]: Rank, [b, other]: Rank): number {
  if (a !== b) return a > b ? -1 : 1;
  return one < other ? -1 : Number(one > other);
}

function placeAfter<T>(rows: readonly T[], after: RankedPlace | undefined, rank: (row: T) => Rank): number {
  if (!after) return 0;
  const last: Rank = [BigInt(after[0]), after[1]];
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (byRank(rank(rows[middle] as T), last) > 0) high = middle;
    else low = middle + 1;
  }
  return low;
}

const averageOf = ({ parts }: AverageHoldings, account: Address): bigint => totalOf(parts.get(account) ?? []);

interface Ranked extends AverageOfAll {
  ranked: readonly Address[];
}

/** Pages of one answer ask for the same order. */
const ranks = question<readonly Address[]>("time-weighted-ranks");
const sumsOfWallets = question<readonly (readonly [Address, bigint])[]>("time-weighted-wallets");

const placeOf = ({ snapshot }: OperationContext, { range, weight }: Weighted) => ({
  at: range.to.hash,
  key: `${range.located.token.address} ${range.from.hash} ${weight}`,
  revision: snapshot.state.revision,
});

async function rankedAverages(context: OperationContext, weighted: Weighted): Promise<Ranked> {
  const all = await averagesOfAll(context, inputOf(weighted));
  const ranked = await context.snapshot.cache.of(ranks, placeOf(context, weighted), async () => {
    const totals = [...all.parts.keys()].map((account): [bigint, Address] => [averageOf(all, account), account]);
    return totals.sort(byRank).map(([, account]) => account);
  });
  return { ...all, ranked };
}

const rankedSums = (context: OperationContext, weighted: Weighted): Promise<readonly (readonly [Address, bigint])[]> =>
  context.snapshot.cache.of(sumsOfWallets, placeOf(context, weighted), async () =>
    [...(await walletSums(context, weighted))].sort(([one, a], [other, b]) => byRank([a, one], [b, other])),
  );
