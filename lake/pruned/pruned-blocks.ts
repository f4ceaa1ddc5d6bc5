// Which blocks of an index are pruned, and the lock under which their rows are changed: by one process at a time.
import type { Sql } from "postgres";
import { isPrunable } from "../../core/history/pruned.ts";
import { type HistoryDatasets, historyDatasets } from "../../core/lake/datasets.ts";
import { inTransaction } from "../../database/in-transaction.ts";
import { quoted } from "../../fold/tables.ts";
import type { MissedBlocks } from "../../gateway/lake/lake-errors.ts";
import type { SegmentEntry } from "../manifest.ts";

export const prunable: readonly HistoryDatasets[] = historyDatasets.filter(({ history }) => isPrunable(history));

/** States at the ends of the blocks of a range need intervals that are only in the lake, unless they are loaded. */
export interface PrunedRange extends MissedBlocks {
  loadedAt: Date | null;
  /** How many rows are loaded. */
  rows: number;
}

/**
 * The blocks whose states need the closed intervals of a segment: those that end in its first block hold up to the one before it,
 * and at its last block all of them have ended.
 */
export const rangeOf = ({ first, last }: Pick<SegmentEntry, "first" | "last">): MissedBlocks => ({
  first: first - 1,
  last: last - 1,
});

/** In order of blocks. */
export async function readPruned(db: Sql, foldSchema: string): Promise<PrunedRange[]> {
  const rows = await db<{ first: number; last: number; loaded_at: Date | null; rows: string }[]>`
    select first, last, loaded_at, rows from tidemark.pruned where fold = ${quoted(foldSchema)} order by first`;
  return rows.map((row) => ({ first: row.first, last: row.last, loadedAt: row.loaded_at, rows: Number(row.rows) }));
}

/**
 * A transaction in which nobody else loads or deletes rows of pruned blocks of this fold: each statement sees what those before it
 * in the turn have committed.
 */
export const inTurn = <T>(db: Sql, foldSchema: string, work: () => Promise<T>): Promise<T> =>
  inTransaction(db, "begin", async () => {
    await db`select pg_advisory_xact_lock(hashtext(${`tidemark pruned ${foldSchema}`}))`;
    return await work();
  });
