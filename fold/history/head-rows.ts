// What reducers are restored from: rows as of the fold's head, or as of a block that it goes back to.
import { LAST_BLOCK } from "../../core/blocks-after.ts";
import { presentRows } from "../../core/history/as-of.ts";
import { type History, isSameEntity, keyColumns, listed, valueColumns } from "../../core/history/history.ts";

interface Place {
  /** Quoted name of the fold's schema. */
  fold: string;
  /** SELECT list over relation `row`. */
  select: (row: string) => string;
}

/** SELECT text of all rows that hold at the head. */
export const headRows = (history: History, { fold, select }: Place): string =>
  presentRows(history, { fold, block: String(LAST_BLOCK), select });

/** SELECT text of the keys that have versions after `block`. */
export const changedAfter = (history: History, fold: string, block: number): string =>
  `select distinct ${listed(keyColumns(history))} from ${fold}.${history.name}_recent where block > ${block}`;

/** SELECT text of what held at `block`, which is not below the finalized one, for those keys; rows of entities that are nothing included. */
export function rowsBefore(history: History, { fold, select }: Place, block: number): string {
  const table = `${fold}.${history.name}`;
  const columns = [...keyColumns(history), ...valueColumns(history)];
  return `
    select ${select("h")} from (${changedAfter(history, fold, block)}) k cross join lateral (
      select ${listed(columns)} from (
        select ${listed(columns, "r")}, r.block as place from ${table}_recent r
         where ${isSameEntity(history, "r", "k")} and r.block <= ${block}
        union all
        select ${listed(columns, "c")}, -1 from ${table}_current c where ${isSameEntity(history, "c", "k")}) both_places
       order by place desc limit 1) h`;
}
