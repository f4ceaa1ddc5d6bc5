// The indexes of a fold's tables, built once after the first bulk load: loading into tables without them is faster.
import type { Sql } from "postgres";
import { foldIndexesDdl, quoted } from "../tables.ts";

interface Load {
  foldSchema: string;
  stepTables: readonly string[];
}

const loadedTables = (stepTables: readonly string[]): string[] => [
  ...["holding_interval", "holding_current", "holder", "asset"],
  ...stepTables,
];

/**
 * After the first load: builds the indexes in parallel and analyzes each table by a tenth of the usual sample, enough for the planner to
 * know sizes. From then on the tables are read.
 */
export async function indexLoad(connections: readonly Sql[], { foldSchema, stepTables }: Load): Promise<void> {
  const s = quoted(foldSchema);
  await Promise.all(connections.map((db) => db.unsafe("set maintenance_work_mem = '256MB'")));
  await runOn(connections, statementsOf(foldIndexesDdl(foldSchema)));
  await Promise.all(connections.map((db) => db.unsafe("set default_statistics_target = 10")));
  await runOn(
    connections,
    loadedTables(stepTables).map((table) => `analyze ${s}.${table}`),
  );
  await Promise.all(connections.map((db) => db.unsafe("reset default_statistics_target")));
  await connections[0]?.unsafe(`update ${s}.meta set is_indexed = true`);
}

/** After {@link indexLoad}: index-only scans no longer visit the table, which makes whole lists quicker, and plans get their final quality. */
export async function vacuumLoad(db: Sql, { foldSchema, stepTables }: Load): Promise<void> {
  for (const table of loadedTables(stepTables)) await db.unsafe(`vacuum (analyze) ${quoted(foldSchema)}.${table}`);
}

/** {@link indexLoad} and {@link vacuumLoad}, for callers that do nothing meanwhile. */
export async function finishLoad(connections: readonly [Sql, ...Sql[]], load: Load): Promise<void> {
  await indexLoad(connections, load);
  await vacuumLoad(connections[0], load);
}

const statementsOf = (ddl: string): string[] =>
  ddl
    .split(";")
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "");

/** Each statement once, on whichever connection is free. */
async function runOn(connections: readonly Sql[], statements: readonly string[]): Promise<void> {
  const waiting = [...statements];
  const work = async (db: Sql) => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await db.unsafe(next);
  };
  await Promise.all(connections.map(work));
}

/** Whether {@link indexLoad} has built every index. */
export async function hasIndexes(db: Sql, foldSchema: string): Promise<boolean> {
  const [meta] = await db.unsafe(`select is_indexed from ${quoted(foldSchema)}.meta`);
  return meta?.is_indexed === true;
}
