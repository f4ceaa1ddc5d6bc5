// Keeps the as-of tables as fast as on their first day: eager vacuum, and rebuilds of indexes that have become loose.
import type { Sql } from "postgres";
import { everyFactTable } from "../../core/fact-tables.ts";
import { histories } from "../../core/history/histories.ts";
import { quoted, recentSchema } from "../tables.ts";
import { vacuumLoad } from "./index-load.ts";
import { looseIndexes, rebuild } from "./loose-indexes.ts";

/** Changes folded between two vacuums; unvacuumed pages make index-only reads 3-5 times slower. */
const CHANGES_PER_VACUUM = 20_000;
const CHANGES_PER_RECENT_VACUUM = 2_000;

/** Which tables are maintained, and how. */
export interface UpkeepSetting {
  foldSchema: string;
  stepTables: readonly string[];
  /** The connection is not the fold's own: the next blocks are folded meanwhile. A vacuum of large tables takes seconds. */
  isBeside: boolean;
}

/** What was just written. */
export interface Written {
  /** Changes of holdings. */
  changes: number;
  /** Rows of sequential steps. */
  stepRows: number;
  /** Versions that became final. */
  merged: number;
}

/** Remembers how much was written since the last vacuum; `tend` is called between batches, outside transactions. */
export function createUpkeep(db: Sql, { foldSchema, stepTables, isBeside }: UpkeepSetting) {
  const s = quoted(foldSchema);
  let changesSinceVacuum = 0;
  let stepRowsSinceVacuum = 0;
  let mergedSinceVacuum = 0;
  let working: Promise<void> | undefined;
  let failure: { error: unknown } | undefined;

  const tendIndexes = async () => {
    const loose = await looseIndexes(db, s);
    if (loose.length > 0) await rebuild(db, s, loose);
  };

  const tendSteps = async () => {
    if (stepRowsSinceVacuum < CHANGES_PER_VACUUM) return;
    stepRowsSinceVacuum = 0;
    for (const table of stepTables) await db.unsafe(`vacuum (analyze) ${s}.${table}`);
  };

  const tendHoldings = async () => {
    if (changesSinceVacuum < CHANGES_PER_VACUUM) return;
    changesSinceVacuum = 0;
    await db.unsafe(`vacuum (analyze) ${s}.holding_current`);
    await db.unsafe(`vacuum (analyze) ${s}.holding_interval`);
    await tendIndexes();
  };

  /** Rows come and go there with every block. */
  const tendRecent = async () => {
    if (mergedSinceVacuum < CHANGES_PER_RECENT_VACUUM) return;
    mergedSinceVacuum = 0;
    for (const { name } of histories) await db.unsafe(`vacuum ${s}.${name}_recent`);
    for (const table of everyFactTable) await db.unsafe(`vacuum ${quoted(recentSchema(foldSchema))}.${table}`);
  };

  const tendAll = async () => {
    await tendRecent();
    await tendSteps();
    await tendHoldings();
  };

  /** Does nothing while other work is running. */
  const begin = async (work: () => Promise<void>): Promise<void> => {
    working ??= work()
      .catch((error: unknown) => {
        failure = { error };
      })
      .finally(() => {
        working = undefined;
      });
    if (!isBeside) await working;
  };

  return {
    isWorking: () => working !== undefined,
    /**
     * After the first load, whose tables are read already, unless other work is running. `done` is called unless it fails: then the
     * next `tend` throws.
     */
    tendLoad: (done: () => void): Promise<void> => begin(() => vacuumLoad(db, { foldSchema, stepTables }).then(done)),
    /** @throws errors of the database; those of work that ran beside the fold reach the next caller */
    async tend({ changes, stepRows, merged }: Written): Promise<void> {
      stepRowsSinceVacuum += stepRows;
      changesSinceVacuum += changes;
      mergedSinceVacuum += merged;
      await begin(tendAll);
      if (!failure) return;
      const { error } = failure;
      failure = undefined;
      throw error;
    },
  };
}
