// How the fold reads Ponder's tables: short transactions that take every lock first, in schema order, so that a reorg
// (DDL in Ponder) waits for us for a second at most and never deadlocks with us.
import type { Sql } from "postgres";
import type { BlocksAfter } from "../../core/blocks-after.ts";
import { blockColumn, everyFactTable } from "../../core/fact-tables.ts";
import { isLockLost } from "../../database/error-codes.ts";
import { inTransaction } from "../../database/in-transaction.ts";
import { quoted } from "../tables.ts";

/** Facts per locked read, small enough to end well within a second. */
export const READ_FACTS = 50_000;

/** Statements that open a read of Ponder's tables: bounded waits, then all locks at once. */
function lockFacts(ponderSchema: string): string {
  const schema = quoted(ponderSchema);
  const tables = [...everyFactTable, "_ponder_checkpoint"].map((table) => `${schema}.${quoted(table)}`);
  return `set local lock_timeout = '2s'; lock table ${tables.join(", ")} in access share mode`;
}

/** Runs `read` in one transaction under those locks; retries once when Ponder's own DDL held a lock. */
export async function withFacts<T>(db: Sql, ponderSchema: string, read: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await inTransaction(db, "begin isolation level repeatable read", async () => {
        await db.unsafe(lockFacts(ponderSchema));
        return await read();
      });
    } catch (error) {
      if (attempt > 0 || !isLockLost(error)) throw error;
    }
  }
}

/** The tables with facts of `range`, `after` exclusive. `schema`: quoted, with a table of every kind of fact, which are locked. */
export async function tablesWithFacts(db: Sql, schema: string, { after, upTo }: BlocksAfter): Promise<Set<string>> {
  const texts = everyFactTable.map(
    (table) => `select '${table}' as name
      where exists (select from ${schema}.${table} where ${blockColumn(table)} > ${after} and ${blockColumn(table)} <= ${upTo})`,
  );
  const rows = await db.unsafe(texts.join(" union all "));
  return new Set(rows.map(({ name }) => String(name)));
}

export interface PonderProgress {
  buildId: string;
  isReady: boolean;
  /** Highest block that is final and whose rows are surely all there: the checkpoint can run one block ahead of them. */
  foldableUpTo: number;
  /** Highest block with a `block` fact; undefined before the first. */
  head: number | undefined;
  factOid: string;
}

/** Undefined while Ponder has not created its tables or written a checkpoint yet. */
export async function readProgress(db: Sql, ponderSchema: string): Promise<PonderProgress | undefined> {
  const [there] = await db`
    select count(*)::int as n from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
     where n.nspname = ${ponderSchema} and c.relname = any(${[...everyFactTable, "_ponder_checkpoint", "_ponder_meta"]})`;
  if (there?.n !== everyFactTable.length + 2) return undefined;
  return withFacts(db, ponderSchema, () => progressOf(db, ponderSchema));
}

/** The same, where the tables are there and locked already. */
export async function progressOf(db: Sql, ponderSchema: string): Promise<PonderProgress | undefined> {
  const schema = quoted(ponderSchema);
  const [row] = await db.unsafe(
    `select (select substr(safe_checkpoint, 27, 16)::bigint from ${schema}._ponder_checkpoint limit 1)::int as safe,
            (select value->>'build_id' from ${schema}._ponder_meta where key = 'app') as build_id,
            (select value->>'is_ready' from ${schema}._ponder_meta where key = 'app') as is_ready,
            (select max(number) from ${schema}.block) as head,
            '${schema}.block'::regclass::oid::text as fact_oid`,
    [],
    { prepare: true },
  );
  if (row?.safe == null || row.build_id == null) return undefined;
  return {
    buildId: String(row.build_id),
    isReady: row.is_ready === "1",
    foldableUpTo: Math.min(row.safe - 1, row.head ?? -1),
    head: row.head ?? undefined,
    factOid: String(row.fact_oid),
  };
}
