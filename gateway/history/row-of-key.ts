// SQL of single entities as of a block, each sought by its key.
import { type History, isSomething, keyColumns, listed, valueColumns } from "../../core/history/history.ts";
import { requireIntervals } from "../../core/history/pruned.ts";

interface KeyText {
  /** Quoted name of the fold's schema. */
  fold: string;
  /** SQL expression of the block at whose end the row holds, int4. */
  block: string;
  /** SQL expressions of all key columns; they may be columns of relations to the left of LATERAL. */
  key: Readonly<Record<string, string>>;
  /** SELECT list over relation `row`, which has the columns of key and values. */
  select: (row: string) => string;
  /** The block is not below the finalized one: no interval holds there. */
  isPresent?: boolean;
}

/**
 * SELECT text of at most one row: the entity at the end of `block`, unless it is nothing then.
 *
 * `limit 1` keeps every seek a seek: the planner takes reading all of an asset for cheaper at some blocks. The first interval that
 * ends after the block comes first (`e`): it alone decides for most entities at an old block. Where there is none, or where it
 * begins later, the index says so without a visit to the table; only what holds at the block is fetched (`i`).
 */
export function rowOfKey(history: History, { fold, block, key, select, isPresent = false }: KeyText): string {
  const table = `${fold}.${history.name}`;
  const isIt = keyColumns(history)
    .map((column) => `${column} = ${key[column]}`)
    .join(" and ");
  const values = valueColumns(history);
  const columns = [
    ...keyColumns(history).map((column) => `${key[column]} as ${column}`),
    ...values.map(
      (column) =>
        `case when e.from_block is not null then i.${column} when r.block is not null then r.${column} else c.${column} end as ${column}`,
    ),
  ];
  return `
    select ${select("v")} from (
      select ${columns.join(", ")} from (select) one
        left join lateral (
          select from_block, to_block from ${table}_interval
           where ${isPresent ? "false" : `${requireIntervals(fold, block)} and ${isIt} and to_block > ${block}`} order by to_block limit 1) e on true
        left join lateral (
          select ${listed(values)} from ${table}_interval
           where e.from_block <= ${block} and ${isIt} and to_block >= e.to_block order by to_block limit 1) i on true
        left join lateral (
          select block, ${listed(values)} from ${table}_recent
           where e.from_block is null and ${isIt} and block <= ${block} order by block desc limit 1) r on true
        left join lateral (
          select since, ${listed(values)} from ${table}_current
           where e.from_block is null and r.block is null and ${isIt} limit 1) c on true
       where case when e.from_block is not null then e.from_block <= ${block}
                  when r.block is not null then ${isSomething(history, "r")}
                  else c.since <= ${block} end) v`;
}
