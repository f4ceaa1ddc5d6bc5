// A schema dropped while others read it, as an operator would do it by hand.
import type { Sql } from "postgres";

const ATTEMPTS = 10;

/**
 * `drop schema … cascade` locks table by table in an order of PostgreSQL's own, readers of several tables in another order:
 * PostgreSQL may choose the session that drops as the victim of a deadlock (40P01), so dropping is repeated then.
 */
export async function dropSchema(sql: Sql, schema: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await sql`drop schema if exists ${sql(schema)} cascade`;
      return;
    } catch (error) {
      const isVictim = error instanceof Error && "code" in error && error.code === "40P01";
      if (!isVictim || attempt === ATTEMPTS) throw error;
    }
  }
}
