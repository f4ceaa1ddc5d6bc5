// SQL of histories over ranges of blocks: which states held in them, from when until when.
//
// A stretch is (since, until, values): the entity was the same from the end of block `since` until before the end of block
// `until`, which is null where it was so at the end of `upTo` still. In a gap between stretches the entity was nothing. A stretch
// reads the same whether it lies in the tables of final history or not.
import { classesAt, endOf, isOfKey } from "../../core/history/as-of.ts";
import { isAnyCurrent, isAnyInterval } from "../../core/history/group-indexes.ts";
import { type History, isSameEntity, isSomething, keyColumns, listed } from "../../core/history/history.ts";
import { requireIntervals } from "../../core/history/pruned.ts";

/** SQL column `until` without nulls: of a stretch that goes on it is the largest int4. */
export const untilOrLast = (until: string): string => `coalesce(${until}, 2147483647) as until`;

interface StretchText {
  /** Quoted name of the fold's schema. */
  fold: string;
  /** FROM item `w (first, last)`: stretches that held at the end of `first` or later, up to the end of `last`, are meant. */
  ranges: string;
  /** SQL expression of the last block of all ranges, int4. */
  upTo: string;
  /** SELECT list over relation `row`, behind since and until. */
  select: (row: string) => string;
}

/** SQL condition: the stretch lies in one of the ranges. Most last: they are not compared with every range. */
const isInRange = (ranges: string, { since, until }: { since: string; until: string }): string => `
  case when ${until} is null then ${since} <= (select max(w.last) from ${ranges})
       else exists (select from ${ranges} where ${since} <= w.last and ${until} > w.first) end`;

/** Of interval `i`. */
const shownUntil = (upTo: string): string => `case when i.to_block <= ${upTo} then i.to_block end as until`;

/** SQL condition that names no relation: the intervals of all ranges are here. */
const requireRanges = (fold: string, ranges: string): string =>
  `(select bool_and(${requireIntervals(fold, "w.first", "w.last")}) from ${ranges})`;

/** SQL condition on `interval` that a seek by key and `to_block` serves: the interval lies in range `w`. */
const isIntervalInRange = (interval: string, isIt: string): string => `
  ${isIt} and to_block > w.first and from_block <= w.last and to_block <= coalesce((
    select to_block from ${interval} where ${isIt} and to_block > w.last order by to_block limit 1), 2147483647)`;

interface KeyStretchText extends StretchText {
  /** SQL expressions of all key columns. */
  key: Readonly<Record<string, string>>;
  /** For one range: at most this many, the first by since. */
  most?: number;
}

/** SELECT text (since, until, …) of one entity's stretches. One that lies in several ranges may come once for each. */
export function stretchesOfKey(history: History, { most, ...terms }: KeyStretchText): string {
  if (most === undefined) return everyStretchOfKey(history, terms, "");
  // those that ended are cut on their own: there may be many, and the index has them in order
  const text = everyStretchOfKey(history, terms, `order by to_block limit ${most}`);
  return `select * from (${text}) s order by since limit ${most}`;
}

function everyStretchOfKey(
  history: History,
  { fold, ranges, upTo, select, key }: Omit<KeyStretchText, "most">,
  cut: string,
): string {
  const table = `${fold}.${history.name}`;
  const isIt = keyColumns(history)
    .map((column) => `${column} = ${key[column]}`)
    .join(" and ");
  return `
    select i.from_block as since, ${shownUntil(upTo)}, ${select("i")}
      from ${ranges} cross join lateral (
        select * from ${table}_interval where ${isIntervalInRange(`${table}_interval`, isIt)} ${cut}) i
     where ${requireRanges(fold, ranges)}
    union all
    select c.since, n.block, ${select("c")}
      from (select * from ${table}_current where ${isIt} limit 1) c
      left join lateral (
        select block from ${table}_recent where ${isIt} and block <= ${upTo} order by block limit 1) n on true
     where ${isInRange(ranges, { since: "c.since", until: "n.block" })}
    union all
    select r.block, r.until, ${select("r")}
      from (select n.*, lead(block) over (order by block) as until
              from ${table}_recent n where ${isIt} and block <= ${upTo}) r
     where ${isSomething(history, "r")} and ${isInRange(ranges, { since: "r.block", until: "r.until" })}`;
}

/**
 * SELECT text (since, until, …) of the stretches of everything that a history has, for one whose entities are never nothing:
 * each that has intervals has a current row then.
 */
export function stretchesOfAll(history: History, { fold, ranges, upTo, select }: StretchText): string {
  if (history.nothing !== undefined) throw new Error(`what ended in ${history.name} has no current row to be found by`);
  const table = `${fold}.${history.name}`;
  const isSame = keyColumns(history)
    .map((column) => `${column} = c.${column}`)
    .join(" and ");
  return `
    select i.from_block as since, ${shownUntil(upTo)}, ${select("i")}
      from ${ranges} cross join ${table}_current c cross join lateral (
        select * from ${table}_interval where ${isIntervalInRange(`${table}_interval`, isSame)}) i
     where ${requireRanges(fold, ranges)} and c.since > w.first
    union all
    select c.since, n.block, ${select("c")}
      from ${table}_current c
      left join lateral (
        select n.block from ${table}_recent n
         where ${isSameEntity(history, "n", "c")} and n.block <= ${upTo} order by n.block limit 1) n on true
     where ${isInRange(ranges, { since: "c.since", until: "n.block" })}
    union all
    select r.block, r.until, ${select("r")}
      from (select n.*, lead(block) over (partition by ${listed(keyColumns(history))} order by block) as until
              from ${table}_recent n where block <= ${upTo}) r
     where ${isInRange(ranges, { since: "r.block", until: "r.until" })}`;
}

interface GroupStretchText {
  /** Quoted name of the fold's schema. */
  fold: string;
  /** Columns and the SQL expressions that they equal; indexes have them before the class and the blocks. */
  of: Readonly<Record<string, string>>;
  /** SQL expressions of the first and the last block, int4. */
  first: string;
  last: string;
  /** Further SQL condition on the columns of relation `row`. */
  where?: (row: string) => string;
  /** SELECT list over relation `row`, behind since and until. */
  select: (row: string) => string;
}

/** SELECT text (since, until, …) of a group's stretches that held at the end of `first` or later, up to the end of `last`. */
export function stretchesOfGroup(history: History, text: GroupStretchText): string {
  const { fold, of, first, last, select } = text;
  const table = `${fold}.${history.name}`;
  const rest = keyColumns(history).filter((column) => of[column] === undefined);
  // an entity may have come from another group, or gone to one
  const recent = `${table}_recent n where ${isOfKey(history, of, "n")} and n.block <= ${last}`;
  return `
    select l.* from ${classesAt(fold, first, last)} cross join lateral (
      select i.from_block as since, ${shownUntil(last)}, ${select("i")} from ${table}_interval i
       where ${isInGroup(text, "i")} and ${isAnyInterval("i")} and i.lvl = k.lvl::int2
         and i.from_block <= ${last} and i.from_block > ${first} - (2 << k.lvl) and ${endOf("i")} > ${first}
      offset 0) l
    union all
    (select c.since, null::int4, ${select("c")} from ${table}_current c
      where ${isInGroup(text, "c")} and ${isAnyCurrent("c")} and c.since <= ${last}
        and (${listed(rest, "c")}) not in (select ${listed(rest, "n")} from ${recent}) offset 0)
    union all
    select c.since, f.block, ${select("c")}
      from (select ${listed(rest, "n")}, min(n.block) as block from ${recent} group by ${listed(rest, "n")}) f
     cross join lateral (
       select * from ${table}_current c
        where ${isOfKey(history, of, "c")} and ${rest.map((column) => `c.${column} = f.${column}`).join(" and ")}
        limit 1) c
     where ${isInGroup(text, "c")} and c.since <= ${last} and f.block > ${first}
    union all
    select r.block, r.until, ${select("r")}
      from (select n.*, lead(n.block) over (partition by ${listed(rest, "n")} order by n.block) as until from ${recent}) r
     where ${isInGroup(text, "r")} and ${isSomething(history, "r")} and (r.until is null or r.until > ${first})`;
}

const isInGroup = ({ of, where }: Pick<GroupStretchText, "of" | "where">, row: string): string =>
  [...Object.entries(of).map(([column, value]) => `${row}.${column} = ${value}`), ...(where ? [where(row)] : [])].join(
    " and ",
  );

/** The same of few of a history's entities, which indexes find by the values of `of`: what once had them is not read whole. */
export function stretchesWithValues(history: History, text: GroupStretchText): string {
  const { fold, first, last, select } = text;
  const table = `${fold}.${history.name}`;
  return `
    (select i.from_block as since, ${shownUntil(last)}, ${select("i")} from ${table}_interval i
      where ${requireIntervals(fold, first, last)} and ${isInGroup(text, "i")} and ${isAnyInterval("i")}
        and i.to_block > ${first} and i.from_block <= ${last} offset 0)
    union all
    select c.since, f.block, ${select("c")} from ${table}_current c
      left join lateral (
        select n.block from ${table}_recent n
         where ${isSameEntity(history, "n", "c")} and n.block <= ${last} order by n.block limit 1) f on true
     where ${isInGroup(text, "c")} and ${isAnyCurrent("c")} and c.since <= ${last} and (f.block is null or f.block > ${first})
    union all
    select r.block, r.until, ${select("r")}
      from (select n.*, lead(n.block) over (partition by ${listed(keyColumns(history), "n")} order by n.block) as until
              from ${table}_recent n where n.block <= ${last}) r
     where ${isInGroup(text, "r")} and ${isSomething(history, "r")} and (r.until is null or r.until > ${first})`;
}
