// Finds indexes that have become loose, and rebuilds them while others read and write.
//
// New entries of an index that does not grow at its end halve full pages, and entries that move leave half-empty ones behind:
// after a while an index takes twice the bytes that its rows need.
import type { Sql } from "postgres";

/** Below this an index is not worth rebuilding. */
const SMALLEST_BYTES = 4_000_000;
/** An index is loose from this many times the bytes that its rows need. Intervals never change: their indexes stay dense for long. */
const [LOOSE_INTERVALS, LOOSE_OTHERS] = [1.3, 2];

/** Bytes of an index's entry besides its columns: its header, its pointer, and what alignment takes. */
const ENTRY_BYTES = 8 + 4 + 5;
/** The part of a fresh index's page that entries fill: the fill factor of 90 %, less what headers take. */
const PAGE_SHARE = 0.88;
/** Assumed for a column that was not analyzed yet: more than most have, so that no index is rebuilt without need. */
const UNKNOWN_BYTES = 24;

/** The loose indexes of `schema` (quoted), smallest first; right after a vacuum with ANALYZE, which counts their entries. */
export async function looseIndexes(db: Sql, schema: string): Promise<string[]> {
  const rows = await db.unsafe<{ index: string }[]>(`
    select x.oid::regclass::text as index
      from pg_index i join pg_class x on x.oid = i.indexrelid join pg_class t on t.oid = i.indrelid
      cross join lateral (
        select sum(case when a.attlen > 0 then a.attlen else coalesce(s.avg_width, ${UNKNOWN_BYTES}) end) + ${ENTRY_BYTES} as bytes
          from pg_attribute a left join pg_stats s
            on s.schemaname = t.relnamespace::regnamespace::text and s.tablename = t.relname and s.attname = a.attname
         where a.attrelid = x.oid) entry
     where t.relnamespace = '${schema}'::regnamespace and i.indisvalid and x.reltuples >= 0
       and pg_relation_size(x.oid) > greatest(${SMALLEST_BYTES},
         x.reltuples * entry.bytes / ${PAGE_SHARE}
           * case when t.relname like '%\\_interval' then ${LOOSE_INTERVALS} else ${LOOSE_OTHERS} end)
     order by pg_relation_size(x.oid)`);
  return rows.map(({ index }) => index);
}

/** Leftovers of a rebuild that was cut short are dropped first: they would be written to for ever, and never read. */
export async function rebuild(db: Sql, schema: string, indexes: readonly string[]): Promise<void> {
  const left = await db.unsafe<{ index: string }[]>(`
    select x.oid::regclass::text as index from pg_index i join pg_class x on x.oid = i.indexrelid
     where x.relnamespace = '${schema}'::regnamespace and not i.indisvalid`);
  for (const { index } of left) await db.unsafe(`drop index concurrently if exists ${index}`);
  for (const index of indexes) await db.unsafe(`reindex index concurrently ${index}`);
}
