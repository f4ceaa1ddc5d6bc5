// What could not be read from a contract at a block is tried again: soon at first, then after ever longer rests, up to a limit.
import type { Sql } from "postgres";
import { reasonOf, type ViewPlace } from "../node/views-at-block.ts";
import { quoted } from "../tables.ts";

export interface RetryTable {
  fold: string;
  /** Made by `retryTableDdl`. */
  table: string;
  longestRestSeconds: number;
}

export interface Failure {
  error: unknown;
  /** By `isRefusal`: only these may count against the node. Left out where nothing is ever given up. */
  isRefusal?: boolean;
}

/** Records the failure; the rest before the next attempt doubles each time. */
export async function retryLater(
  db: Sql,
  { fold, table, longestRestSeconds }: RetryTable,
  { contract, block, blockHash, error, isRefusal = false }: ViewPlace & Failure,
): Promise<void> {
  // attempts are bounded before the power is taken: two to their number would overflow in the end
  await db.unsafe(
    `insert into ${quoted(fold)}.${table} as r (address, block, block_hash, attempts, refusals, last_error, next_try)
     values (decode(substr($1, 3), 'hex'), $2, $3, 1, $5, $4, now() + interval '1 second')
     on conflict (address, block_hash) do update set attempts = r.attempts + 1, refusals = r.refusals + excluded.refusals,
       last_error = excluded.last_error,
       next_try = now() + least(power(2, least(r.attempts, 20)), ${longestRestSeconds}) * interval '1 second'`,
    [contract, block, blockHash, reasonOf(error), isRefusal ? 1 : 0],
  );
}
