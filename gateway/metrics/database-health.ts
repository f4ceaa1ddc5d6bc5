// What only the database knows of its own condition. Read only for /metrics, outside of any snapshot.
import { literal } from "../../core/sql-literal.ts";
import { isMissingTable } from "../../database/error-codes.ts";
import type { Database } from "../database/database.ts";

export interface DatabaseHealth {
  /** Of the oldest transaction in this database, anybody's; seconds. What it could still see cannot be cleaned up. */
  oldestTransactionSeconds: number;
  /** How much of Ponder's 32-bit numbers for rows that may be replaced is used up, from 0 to 1. */
  reorgNumbersUsed: number;
}

/** Null where PostgreSQL reports nothing. */
export async function readDatabaseHealth(database: Database, ponderSchema: string): Promise<DatabaseHealth> {
  const [row] = await database.rows<{ oldest: number | null; used: number | null }>(`
    select (select extract(epoch from max(now() - xact_start))::float8 from pg_catalog.pg_stat_activity
             where datname = current_database()) as oldest,
           (select max(last_value / 2147483647.0)::float8 from pg_catalog.pg_sequences
             where schemaname = ${literal(ponderSchema)}) as used`);
  return { oldestTransactionSeconds: row?.oldest ?? 0, reorgNumbersUsed: row?.used ?? 0 };
}

/** Blocks that were replaced since the database was made, as the fold saw it. */
export async function readReorgs(database: Database, chainId: number): Promise<{ seen: number; deepest: number }> {
  try {
    const [row] = await database.rows<{ seen: number; deepest: number | null }>(
      `select count(*)::int as seen, max(depth) as deepest from tidemark.reorg where chain_id = ${chainId}`,
    );
    return { seen: row?.seen ?? 0, deepest: row?.deepest ?? 0 };
  } catch (error) {
    if (isMissingTable(error)) return { seen: 0, deepest: 0 };
    throw error;
  }
}
