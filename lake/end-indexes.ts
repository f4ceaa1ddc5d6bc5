// Indexes that find the newest intervals by their ends. Intervals are written in the order in which they end, so that a few bytes
// for many pages are enough. Only the lake looks intervals up in that way, so it makes the indexes itself.
import type { Sql } from "postgres";
import { histories } from "../core/history/histories.ts";
import { quoted } from "../fold/tables.ts";

const indexName = (history: string): string => `${history}_interval_by_end`;

/** Builds what is missing without blocking writers; an index that a killed process left half built is built again. */
export async function buildEndIndexes(db: Sql, foldSchema: string): Promise<void> {
  const s = quoted(foldSchema);
  const there = await db<{ name: string; whole: boolean }[]>`
    select c.relname as name, i.indisvalid as whole from pg_catalog.pg_index i
      join pg_catalog.pg_class c on c.oid = i.indexrelid
      join pg_catalog.pg_namespace n on n.oid = c.relnamespace
     where n.nspname = ${foldSchema} and c.relname = any(${histories.map(({ name }) => indexName(name))})`;
  for (const { name } of histories) {
    const found = there.find((index) => index.name === indexName(name));
    if (found?.whole) continue;
    if (found) await db.unsafe(`drop index concurrently ${s}.${indexName(name)}`);
    await db.unsafe(
      `create index concurrently ${indexName(name)} on ${s}.${name}_interval using brin (to_block)
         with (pages_per_range = 32, autosummarize = on)`,
    );
  }
}
