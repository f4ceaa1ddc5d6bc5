// What a contract could not tell at a block is asked again: soon at first, ever later, and never oftener than the limit.
import type { Sql } from "postgres";
import { quoted } from "./tables.ts";
import { reasonOf, type ViewPlace } from "./views-at-block.ts";

export interface RetryTable {
  fold: string;
  /** A table of (address, block, attempts, last_error, next_try). */
  table: string;
  longestRestSeconds: number;
}

/** Notes the failure; the rest doubles with every attempt. */
export async function retryLater(
  db: Sql,
  { fold, table, longestRestSeconds }: RetryTable,
  { contract, block, error }: Pick<ViewPlace, "contract" | "block"> & { error: unknown },
): Promise<void> {
  // attempts are bounded before the power is taken: two to their number would overflow in the end
  await db.unsafe(
    `insert into ${quoted(fold)}.${table} as r (address, block, attempts, last_error, next_try)
     values (decode(substr($1, 3), 'hex'), $2, 1, $3, now() + interval '1 second')
     on conflict (address, block) do update set attempts = r.attempts + 1, last_error = excluded.last_error,
       next_try = now() + least(power(2, least(r.attempts, 20)), ${longestRestSeconds}) * interval '1 second'`,
    [contract, block, reasonOf(error)],
  );
}
