// Indexes on Ponder's tables, for requests that read facts by pool. They are made beside Ponder, which leaves them alone, once it has
// caught up: declared in Ponder's schema they would change its build, and everything would be indexed again.
import type { Logger } from "pino";
import type { Sql } from "postgres";
import { quoted } from "../tables.ts";

interface FactIndex {
  name: string;
  table: string;
  /** Its columns, in parentheses. */
  columns: string;
}

const byPool = (table: string, pool: string): FactIndex => ({
  name: `${table}_by_${pool}`,
  table,
  columns: `(${pool}, block, log_index)`,
});

/** The newest swaps of a pool are looked up by key. Why these and no others: docs/adr/0015-fact-indexes.md */
export const factIndexes: readonly FactIndex[] = [
  byPool("v3_swap", "pool"),
  byPool("v2_swap", "pair"),
  byPool("launch_swap", "pool"),
];

async function stateOf(db: Sql, schema: string, { name }: FactIndex): Promise<"missing" | "broken" | "whole"> {
  const [row] = await db`
    select i.indisvalid as whole from pg_catalog.pg_index i
      join pg_catalog.pg_class c on c.oid = i.indexrelid
      join pg_catalog.pg_namespace n on n.oid = c.relnamespace
     where n.nspname = ${schema} and c.relname = ${name}`;
  if (!row) return "missing";
  return row.whole ? "whole" : "broken";
}

/**
 * Builds what is missing without blocking writers. An index that a process left half built when it ended is built again.
 * Returns the names built.
 */
export async function buildFactIndexes(db: Sql, ponderSchema: string): Promise<string[]> {
  const built: string[] = [];
  for (const index of factIndexes) {
    const { name, table, columns } = index;
    const state = await stateOf(db, ponderSchema, index);
    if (state === "whole") continue;
    if (state === "broken") await db.unsafe(`drop index concurrently ${quoted(ponderSchema)}.${quoted(name)}`);
    await db.unsafe(`create index concurrently ${quoted(name)} on ${quoted(ponderSchema)}.${quoted(table)} ${columns}`);
    built.push(name);
  }
  return built;
}

/** Builds them in the background the first time it is called; a failure is logged and tried again at the next start. */
export function createFactIndexer(db: Sql, { ponderSchema, log }: { ponderSchema: string; log: Logger }): () => void {
  let isStarted = false;
  return () => {
    if (isStarted) return;
    isStarted = true;
    buildFactIndexes(db, ponderSchema).then(
      (built) => built.length > 0 && log.info({ built }, "fact indexes built"),
      (error: unknown) => log.warn({ error: String(error) }, "fact indexes are not built"),
    );
  };
}
