// Blocks whose intervals PostgreSQL does not have: an operator has pruned them, and they are only in the history lake.
//
// `tidemark.pruned` has a row for each range of such blocks; `loaded_at` is null while its intervals are away. A statement that reads
// intervals also requires them, and so in the same snapshot: no answer is made of what happens to be left.

import { literal } from "../sql-literal.ts";
import { histories, islands } from "./histories.ts";
import type { History } from "./history.ts";

/** Whether rows of a history may be away. Not islands': one that is determined late changes rows of blocks that were final long before. */
export const isPrunable = (history: History): boolean => histories.includes(history) && history !== islands;

/** SQLSTATE of a statement that needs intervals which are away; the detail has the first and the last block of its states. */
export const PRUNED_STATE = "TM001";

/**
 * SQL condition, always true: the intervals that states at the ends of the blocks `low` to `high` need are here; the statement ends
 * with {@link PRUNED_STATE} where they are not. `fold` is the quoted name of the fold's schema.
 *
 * A condition on rows is not evaluated where there are none: this one must stand in a query that is separated by `offset` or `limit`
 * or by being an arm of a union, and must name no relation of that query. Then PostgreSQL decides it before it reads anything.
 */
export const requireIntervals = (fold: string, low: string, high: string = low): string =>
  `(select tidemark.has_intervals(${literal(fold)}, ${low}, ${high}))`;

/** SQL: the last block whose state needs pruned intervals, loaded again or not; null where nothing is pruned. */
export const lastPruned = (fold: string): string =>
  `(select max(p.last) from tidemark.pruned p where p.fold = ${literal(fold)})`;

/**
 * DDL of {@link requireIntervals}. `fold` is the quoted name of the fold's schema; `first`, `last`: the blocks at whose ends states
 * are missing while `loaded_at` is null; `is_deleted`: nothing of it is left to be deleted; `rows`: how many were loaded.
 */
export const prunedDdl = `
create table if not exists tidemark.pruned (
  chain_id int8 not null, fold text not null, first int4 not null, last int4 not null, is_deleted bool not null default false,
  loaded_at timestamptz, rows int8 not null default 0, primary key (fold, first));
do $do$ begin
  if to_regprocedure('tidemark.has_intervals(text, int4, int4)') is null then
    create function tidemark.has_intervals(of_fold text, low int4, high int4) returns bool
      language plpgsql stable parallel safe as $body$
    begin
      if exists (select from tidemark.pruned p
                  where p.fold = of_fold and p.loaded_at is null and p.first <= high and p.last >= low) then
        raise exception 'states of blocks % to % were pruned: their intervals are in the history lake alone', low, high
          using errcode = '${PRUNED_STATE}', detail = low || ' ' || high;
      end if;
      return true;
    end $body$;
  end if;
end $do$;
`;
