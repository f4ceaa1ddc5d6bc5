// A connection for what is asked of a database once.
import postgres, { type Sql } from "postgres";

/** Runs `work` on a connection that is made for it and closed after it. */
export async function withConnection<T>(databaseUrl: string, work: (sql: Sql) => Promise<T>): Promise<T> {
  const sql = postgres(databaseUrl, { max: 1, connect_timeout: 10, onnotice: () => {} });
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 2 });
  }
}
