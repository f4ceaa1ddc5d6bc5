// What shapes answers besides the blocks: whoever reads something from the chain later says so, and answers made without it
// are not given again.
import type { Sql } from "postgres";

/** `s` is the fold's quoted schema. */
export async function raiseRevision(db: Sql, s: string): Promise<void> {
  await db.unsafe(`update ${s}.meta set revision = revision + 1`);
}
