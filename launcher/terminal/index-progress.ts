// How far indexing and folding are, read from the database in short statements.
import type { Sql } from "postgres";
import { isLockLost, isMissingTable } from "../../database/error-codes.ts";
import { quoted } from "../../fold/tables.ts";

export interface IndexProgress {
  /** Highest block with facts. */
  indexed: number | undefined;
  isIndexed: boolean;
  /** Highest block in the as-of tables of the fold that is running, which gateways may not read yet. */
  folded: number | undefined;
}

/** Parts that do not exist yet are `undefined`. */
export async function readIndexProgress(
  sql: Sql,
  { ponderSchema, foldSchema }: { ponderSchema: string; foldSchema: string },
): Promise<IndexProgress> {
  const schema = quoted(ponderSchema);
  const indexed = await first(sql, `select max(number) as value from ${schema}.block`);
  const isReady = await first(
    sql,
    `select (value->>'is_ready')::int as value from ${schema}._ponder_meta where key = 'app'`,
  );
  const folded = await first(sql, `select head as value from ${quoted(foldSchema)}.meta`);
  return { indexed, isIndexed: isReady === 1, folded };
}

async function first(sql: Sql, query: string): Promise<number | undefined> {
  const row = await rowOrNone(sql.unsafe(query));
  return row?.value === null || row?.value === undefined ? undefined : Number(row.value);
}

async function rowOrNone(
  query: PromiseLike<readonly Record<string, unknown>[]>,
): Promise<Record<string, unknown> | undefined> {
  try {
    return (await query)[0];
  } catch (error) {
    if (isMissingTable(error) || isLockLost(error)) return undefined;
    throw error;
  }
}

/** Share of `from … to` reached at `at`, 0 to 100. */
export function percentOf(at: number | undefined, { from, to }: { from: number; to: number }): number {
  if (at === undefined) return 0;
  if (to <= from) return at >= to ? 100 : 0;
  return Math.max(0, Math.min(100, (100 * (at - from + 1)) / (to - from + 1)));
}
