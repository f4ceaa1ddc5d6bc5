// A schema dropped while others read it, as an operator would do it by hand.
import type { Sql } from "postgres";

const ATTEMPTS = 10;

/**
 * `drop schema … cascade` takes its locks table by table in an order of PostgreSQL's own, readers of several tables in
 * theirs: PostgreSQL may choose the one who drops as the victim of a deadlock (40P01), who then repeats it.
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
