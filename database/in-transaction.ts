// Several statements of one connection that happen together or not at all.
import type { Sql } from "postgres";

/** Runs `work` between `begin`, SQL that begins a transaction, and its commit; where `work` throws, nothing has happened. */
export async function inTransaction<T>(db: Sql, begin: string, work: () => Promise<T>): Promise<T> {
  await db.unsafe(begin);
  try {
    const result = await work();
    await db.unsafe("commit");
    return result;
  } catch (error) {
    await db.unsafe("rollback");
    throw error;
  }
}
