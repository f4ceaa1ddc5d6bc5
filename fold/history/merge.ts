// Merges versions of final blocks into a history's large tables: the one way in which they change.
import type { Sql } from "postgres";
import { durationClassSql } from "../../core/history/duration-class.ts";
import {
  type History,
  isSameEntity,
  isSomething,
  keyColumns,
  listed,
  valueColumns,
} from "../../core/history/history.ts";

/**
 * Statements for transactions that look few entities up in large tables: by their key alone. Wide indexes that begin like
 * the key seem as good to the planner where they spare the row, and are read along for thousands of entries.
 */
export const BY_KEY = "set local enable_indexonlyscan = off";

/**
 * Closes what the versions end and renews the current rows, inside the caller's transaction. `versions` is a FROM item of
 * (key, block, values), later than everything that is merged already; one per entity and block. `s` is the fold's quoted
 * schema. Resolves to the number of versions.
 */
export async function mergeVersions(
  db: Sql,
  s: string,
  { history, versions }: { history: History; versions: string },
): Promise<number> {
  const { name } = history;
  const [keys, values] = [keyColumns(history), valueColumns(history)];
  const isOfCurrent = isSameEntity(history, "c", "v");
  const rows = (of: string, from: string, to: string) =>
    `${listed(keys, of)}, ${from}, ${to}, ${durationClassSql(`${to} - ${from}`)}`;
  const renewed = ["since", ...values].map((column) => `${column} = excluded.${column}`).join(", ");
  const [row] = await db.unsafe(`
    with v as materialized (
      select ${listed([...keys, "block", ...values], "x")}, lead(block) over by_block as next_block,
             row_number() over by_block = 1 as is_first, ${isSomething(history, "x")} as is_something
        from ${versions} x window by_block as (partition by ${listed(keys, "x")} order by x.block)),
    ended as (
      insert into ${s}.${name}_interval (${listed([...keys, "from_block", "to_block", "lvl", ...values])})
      select ${rows("v", "c.since", "v.block")}, ${listed(values, "c")}
        from v join ${s}.${name}_current c on ${isOfCurrent} where v.is_first
      union all
      select ${rows("v", "v.block", "v.next_block")}, ${listed(values, "v")}
        from v where v.next_block is not null and v.is_something),
    gone as (
      delete from ${s}.${name}_current c using v where v.next_block is null and not v.is_something and ${isOfCurrent}),
    renewed as (
      insert into ${s}.${name}_current (${listed([...keys, "since", ...values])})
      select ${listed([...keys, "block", ...values], "v")} from v where v.next_block is null and v.is_something
      on conflict (${listed(keys)}) do update set ${renewed})
    select count(*)::int as versions from v`);
  return Number(row?.versions ?? 0);
}
