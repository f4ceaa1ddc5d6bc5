// Reading an answer of all holders in two ways, and the figures that must be equal in both.
import type { Sql } from "postgres";

/** Holders and the sum of what they hold: equal for every design at one block, or the benchmark ends. */
export interface Tally {
  holders: number;
  sum: bigint;
}

export interface Timed extends Tally {
  ms: number;
}

type Row = { account: Buffer; amount: string };

/** A counter that takes rows, each amount made an integer. */
export function tally(): Tally & { take(row: Row): void } {
  return {
    holders: 0,
    sum: 0n,
    take({ amount }) {
      this.holders += 1;
      this.sum += BigInt(amount);
    },
  };
}

/** Reads every row of `text` (account, amount) into this process. */
export async function readRows(db: Sql, text: string): Promise<Timed> {
  const started = performance.now();
  const counted = tally();
  for (const row of await db.unsafe<Row[]>(text)) counted.take(row);
  return { holders: counted.holders, sum: counted.sum, ms: performance.now() - started };
}

/** Counts and sums the same rows inside the database. */
export async function sumInside(db: Sql, text: string): Promise<Timed> {
  const started = performance.now();
  const [row] = await db.unsafe(`select count(*)::int as holders, sum(amount)::text as sum from (${text}) answer`);
  return { holders: Number(row?.holders), sum: BigInt(row?.sum ?? 0), ms: performance.now() - started };
}

/** @throws Error naming `who` when its answer is not the expected one */
export function requireEqual(who: string, got: Tally, expected: Tally): void {
  if (got.holders !== expected.holders || got.sum !== expected.sum)
    throw new Error(
      `${who} is wrong: ${got.holders} holders of ${got.sum}, not ${expected.holders} of ${expected.sum}`,
    );
}
