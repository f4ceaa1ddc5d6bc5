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
 * For transactions that look up few entities in large tables: only by their key. Wide indexes that begin with the key's columns
 * seem as good to the planner where they save a visit to the row, but then thousands of entries are read.
 */
export const BY_KEY = "set local enable_indexonlyscan = off";

/**
 * SELECT text of versions as {@link mergeVersions} takes them: beside the current row of their entity, if there is one. `versions` is a
 * FROM item of (key, block, values, next_block, is_first).
 */
export function besideCurrent(s: string, history: History, versions: string): string {
  const [keys, values] = [keyColumns(history), valueColumns(history)];
  const held = values.map((column) => `c.${column} as held_${column}`).join(", ");
  return `select ${listed([...keys, "block", ...values, "next_block", "is_first"], "x")}, c.ctid as place, c.since, ${held}
    from ${versions} x left join ${s}.${history.name}_current c on ${isSameEntity(history, "c", "x")}`;
}

/** FROM item of `versions`, a FROM item of (key, block, values), each with its entity's next one. */
export const withNext = (history: History, versions: string): string => `(
  select ${listed([...keyColumns(history), "block", ...valueColumns(history)], "x")}, ${besideNext} from ${versions} x ${byBlock(history, "x")})`;

/** SELECT items of {@link byBlock}: the block of the entity's next version, and whether this one is its first. */
export const besideNext = "lead(block) over by_block as next_block, row_number() over by_block = 1 as is_first";

/** WINDOW clause over the versions `of` of each entity, in the order of their blocks. */
export const byBlock = (history: History, of: string): string =>
  `window by_block as (partition by ${listed(keyColumns(history), of)} order by ${of}.block)`;

/** What is merged, and what is done in the same statement. */
interface Merge {
  history: History;
  /** FROM item, see {@link mergeText}. */
  versions: string;
  /** More CTEs over `v`, the versions; each ends in a comma. */
  beside?: string;
  /** More SELECT items, aggregates over all of `v`; each begins with a comma. */
  extraColumns?: string;
}

/**
 * Statement that closes what the versions end and renews the current rows, inside the caller's transaction. `versions` is a FROM item of
 * (key, block, values, next_block, is_first, place, since, held_<value>): one per entity and block, later than everything that is merged
 * already, with the entity's next block among them, whether it is the first, and the entity's current row: where it lies (null without
 * one), since when, and its values. So every current row is looked up only once, and changed in place. `s` is the fold's quoted schema.
 * One row: `versions`, their number, and the `extraColumns`.
 */
export function mergeText(s: string, { history, versions, beside = "", extraColumns = "" }: Merge): string {
  const { name } = history;
  const [keys, values] = [keyColumns(history), valueColumns(history)];
  const held = values.map((column) => `held_${column}`);
  const rows = (from: string, to: string, state: readonly string[]) =>
    `${listed(keys)}, ${from}, ${to}, ${durationClassSql(`${to} - ${from}`)}, ${listed(state)}`;
  const renewed = ["since = v.block", ...values.map((column) => `${column} = v.${column}`)].join(", ");
  return `
    with v as materialized (
      select ${listed([...keys, "block", ...values, "next_block", "is_first", "place", "since", ...held], "x")},
             ${isSomething(history, "x")} as is_something
        from ${versions} x),
    ${beside}
    ended as (
      insert into ${s}.${name}_interval (${listed([...keys, "from_block", "to_block", "lvl", ...values])})
      select ${rows("since", "block", held)} from v where is_first and place is not null
      union all
      select ${rows("block", "next_block", values)} from v where next_block is not null and is_something),
    gone as (
      delete from ${s}.${name}_current c using v where v.next_block is null and not v.is_something and c.ctid = v.place),
    renewed as (
      update ${s}.${name}_current c set ${renewed} from v where v.next_block is null and v.is_something and c.ctid = v.place),
    added as (
      insert into ${s}.${name}_current (${listed([...keys, "since", ...values])})
      select ${listed([...keys, "block", ...values])} from v where next_block is null and is_something and place is null)
    select count(*)::int as versions ${extraColumns} from v`;
}

/** Carries {@link mergeText} out; resolves to the number of versions. */
export async function mergeVersions(db: Sql, s: string, merge: Pick<Merge, "history" | "versions">): Promise<number> {
  const [row] = await db.unsafe(mergeText(s, merge));
  return Number(row?.versions ?? 0);
}
