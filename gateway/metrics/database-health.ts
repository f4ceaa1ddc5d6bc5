// What only the database knows of its own condition. Read only for /metrics, outside of any snapshot.
import { isMissingTable } from "../../database/error-codes.ts";
import { rowNumbersUsedText } from "../../fold/tables.ts";
import type { Database } from "../database/database.ts";

export interface DatabaseHealth {
  /** Of the oldest transaction in this database, anybody's; seconds. What it could still see cannot be cleaned up. */
  oldestTransactionSeconds: number;
  /** How much of Ponder's 32-bit numbers for rows that may be replaced is used up, from 0 to 1. */
  reorgNumbersUsed: number;
}

/** 0 where PostgreSQL reports nothing, and while there is no index. */
export async function readDatabaseHealth(database: Database, chainId: number): Promise<DatabaseHealth> {
  const [oldest, used] = await Promise.all([
    readIfThere<{ seconds: number | null }>(
      database,
      `select extract(epoch from max(now() - xact_start))::float8 as seconds from pg_catalog.pg_stat_activity
        where datname = current_database()`,
    ),
    readIfThere<{ part: number | null }>(database, `select (${rowNumbersUsedText(chainId)}) as part`),
  ]);
  return { oldestTransactionSeconds: oldest?.seconds ?? 0, reorgNumbersUsed: used?.part ?? 0 };
}

/** Blocks that were replaced since the database was made, as the fold saw it. */
export async function readReorgs(database: Database, chainId: number): Promise<{ seen: number; deepest: number }> {
  const row = await readIfThere<{ seen: number; deepest: number | null }>(
    database,
    `select count(*)::int as seen, max(depth) as deepest from tidemark.reorg where chain_id = ${chainId}`,
  );
  return { seen: row?.seen ?? 0, deepest: row?.deepest ?? 0 };
}

/** Undefined while the fold has not made its tables yet. */
async function readIfThere<T extends object>(database: Database, text: string): Promise<T | undefined> {
  try {
    return (await database.rows<T>(text))[0];
  } catch (error) {
    if (isMissingTable(error)) return undefined;
    throw error;
  }
}
