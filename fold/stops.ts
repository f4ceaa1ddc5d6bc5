// Contracts whose events contradict each other, as the tables of pools and islands have it: rows of such a contract end before the fact.
import type { Sql } from "postgres";
import type { MismatchError } from "../core/mismatch-error.ts";

/** DDL of the columns. */
export const STOP_COLUMNS =
  "stopped_block int4, stopped_log int4, stopped_field text, stopped_expected text, stopped_replayed text";

/** What they hold; `stopped_block` is null, and the others are with it, while the contract has not stopped. */
export interface StoredStop {
  stopped_block: number | null;
  stopped_log: number;
  stopped_field: string;
  stopped_expected: string;
  stopped_replayed: string;
}

/** SET items of one that has not. */
export const NOT_STOPPED = `stopped_block = null, stopped_log = null, stopped_field = null, stopped_expected = null, stopped_replayed = null`;

/** A contract by its number in the tables. */
export interface Stop {
  id: number;
  mismatch: MismatchError;
}

export async function writeStops(db: Sql, table: string, stops: readonly Stop[]): Promise<void> {
  for (const { id, mismatch } of stops) {
    const { block, logIndex, field, expected, replayed } = mismatch;
    await db.unsafe(
      `update ${table} set stopped_block = $2, stopped_log = $3, stopped_field = $4, stopped_expected = $5, stopped_replayed = $6
        where id = $1`,
      [id, block, logIndex, field, expected, replayed],
    );
  }
}

/** The values of the error that was stored. */
export const mismatchOf = ({ stopped_field, stopped_expected, stopped_replayed }: StoredStop) => ({
  field: stopped_field,
  expected: stopped_expected,
  replayed: stopped_replayed,
});
