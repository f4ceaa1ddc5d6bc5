// SQL of a history as of a block: nothing else knows that what is not final yet lies in a table of its own.
//
// An entity's state at the end of block N is its newest version up to N in `<name>_recent`; where there is none, the row of
// `<name>_current` if it holds since N or before; else the interval that covers N. Intervals end in final blocks, below
// every version that is not final, so one that covers N needs no look at those.
//
// The plans of the texts do not depend on PostgreSQL's statistics of the small `_recent` tables, which change all the time: newer
// versions are either found by their primary key, or hashed once for `not in`. A join with them would be planned as a loop
// over all of them whenever they were last counted while empty.
//
// Every text that reads intervals requires that they are here: see pruned.ts.
import { durationClassSql } from "./duration-class.ts";
import { isAnyCurrent, isAnyInterval } from "./group-indexes.ts";
import { type History, isSomething, keyColumns, listed, valueColumns } from "./history.ts";
import { requireIntervals } from "./pruned.ts";

interface AsOfTerms {
  /** Quoted name of the fold's schema. */
  fold: string;
  /** SQL expression of the block at whose end the rows hold, int4. */
  block: string;
  /** Further SQL condition on the columns of relation `row`. */
  where?: (row: string) => string;
  /** SELECT list over relation `row`; key and values without it. */
  select?: (row: string) => string;
}

export interface AsOfText extends AsOfTerms {
  /** Columns and the SQL expressions that they equal; an index of each table should begin with them. */
  of?: Readonly<Record<string, string>>;
}

interface GroupsText extends AsOfTerms {
  /** The column that distinguishes groups, and SQL of an array of its values. */
  column: string;
  values: string;
}

/** SELECT text of the rows that hold at the end of `block`, intervals found by `of`. Entities that are nothing are left out. */
export const rowsAt = (history: History, asOf: AsOfText): string => {
  const { fold, block, select } = filled(history, asOf);
  const past = `(select ${select("i")} from ${fold}.${history.name}_interval i
    where ${requireIntervals(fold, block)} and ${isMeant(asOf, "i")} and ${isAnyInterval("i")} and i.to_block > ${block}
      and i.from_block <= ${block} offset 0)`;
  return [past, currentRows(history, asOf), recentRows(history, asOf)].join(" union all ");
};

/** {@link rowsAt}, intervals found by class: for all of a group, where an index has the columns of `of`, the class and the blocks. */
export const rowsOfGroup = (history: History, asOf: AsOfText): string => {
  const { fold, block } = asOf;
  const past = `select l.* from ${classesAt(fold, block)} cross join lateral ${classRows(history, asOf)} l`;
  return [past, currentRows(history, asOf), recentRows(history, asOf)].join(" union all ");
};

/** {@link rowsAt} at a block that is not below the finalized one: no interval holds there. */
export const presentRows = (history: History, asOf: AsOfText): string =>
  [currentRows(history, asOf), recentRows(history, asOf)].join(" union all ");

/** {@link rowsOfGroup} of many groups, in any order: versions that are not final are read once for all of them. */
export const rowsOfGroups = (history: History, { column, values, ...asOf }: GroupsText): string => {
  const { fold, block, where = () => "true" } = asOf;
  const groups = `unnest(${values}) g(value)`;
  const one = { ...asOf, of: { [column]: "g.value" } };
  const isAmong = (row: string) => `${row}.${column} = any(${values})`;
  const isKeyColumn = keyColumns(history).includes(column);
  // an entity may have come from another group, or gone to one
  const newer = { keys: keyColumns(history), recent: isKeyColumn ? isAmong : () => "true" };
  const meant = isKeyColumn ? where : (row: string) => `${isAmong(row)} and ${where(row)}`;
  return `
    select l.* from ${classesAt(fold, block)} cross join ${groups} cross join lateral ${classRows(history, one)} l
    union all
    select l.* from ${groups} cross join lateral ${currentRows(history, one, newer)} l
    union all
    ${recentRows(history, { ...asOf, where: meant }, newer)}`;
};

// `offset 0` leaves every arm a query of its own: pulled up into a query in which `of` varies, `not in` would be searched row by row.

/**
 * SQL of an interval's `to_block` behind a range of its `from_block` in an index. As a condition of the index it saves
 * nothing, but PostgreSQL 18 takes it for a skip scan that costs hundreds of times as much, and prefers to read all that an
 * asset ever had.
 */
export const endOf = (interval: string): string => `${interval}.to_block + 0`;

function classRows(history: History, asOf: AsOfText): string {
  const { fold, block, select } = filled(history, asOf);
  return `(
      select ${select("i")} from ${fold}.${history.name}_interval i
       where ${isMeant(asOf, "i")} and ${isAnyInterval("i")} and i.lvl = k.lvl::int2
         and i.from_block <= ${block} and i.from_block > ${block} - (2 << k.lvl) and ${endOf("i")} > ${block} offset 0)`;
}

function currentRows(history: History, asOf: AsOfText, newer = newerThan(history, asOf)): string {
  const { fold, block, select } = filled(history, asOf);
  return `(select ${select("c")} from ${fold}.${history.name}_current c
    where ${isMeant(asOf, "c")} and ${isAnyCurrent("c")} and c.since <= ${block} and ${hasNoRecent(history, { fold, block, ...newer }, "c")} offset 0)`;
}

function recentRows(history: History, asOf: AsOfText, { recent }: Newer = newerThan(history, asOf)): string {
  const { fold, block, select } = filled(history, asOf);
  const keys = keyColumns(history);
  return `(select ${select("r")} from (
      select distinct on (${listed(keys, "n")}) n.* from ${fold}.${history.name}_recent n
       where ${recent("n")} and n.block <= ${block}
       order by ${[...keys, "block"].map((column) => `n.${column} desc`).join(", ")}) r
    where ${isMeant(asOf, "r")} and ${isSomething(history, "r")} offset 0)`;
}

interface Newer {
  /** SQL condition on the versions that are not final, and the key columns that distinguish entities among them. */
  recent: (row: string) => string;
  keys: readonly string[];
}

const newerThan = (history: History, { of = {} }: AsOfText): Newer => ({
  keys: keyColumns(history).filter((column) => of[column] === undefined),
  recent: (row) => isOfKey(history, of, row),
});

/** SQL condition on a row of final history: no version up to `block` has come after it that is not final. */
function hasNoRecent(
  history: History,
  { fold, block, keys, recent }: Newer & Pick<AsOfTerms, "fold" | "block">,
  row: string,
): string {
  const newer = `from ${fold}.${history.name}_recent n where ${recent("n")} and n.block <= ${block}`;
  if (keys.length === 0) return `not exists (select ${newer})`;
  return `(${listed(keys, row)}) not in (select ${listed(keys, "n")} ${newer})`;
}

/**
 * Relation `k (lvl)`: the duration classes of the intervals that can hold something at `block`, and up to `last`. No interval is
 * longer than the chain up to the finalized block, and none reaches beyond it: at that block and above there are no classes.
 */
export const classesAt = (fold: string, block: string, last: string = block): string => `(
  select lvl from generate_series(0, ${LONGEST_CLASS}) as every(lvl)
   where lvl <= (select case when ${block} < finalized and ${requireIntervals(fold, block, last)}
                             then ${durationClassSql("finalized")} else -1 end from ${fold}.meta)) k`;

/** Blocks are 32 bits with a sign. */
const LONGEST_CLASS = 29;

const filled = (history: History, { select, ...asOf }: AsOfText) => ({
  ...asOf,
  select: select ?? ((row: string) => listed([...keyColumns(history), ...valueColumns(history)], row)),
});

/** SQL condition: `row` has the columns of `of`, and meets `where`. */
function isMeant({ of = {}, where }: AsOfText, row: string): string {
  const conditions = Object.entries(of).map(([column, value]) => `${row}.${column} = ${value}`);
  return [...conditions, ...(where ? [where(row)] : [])].join(" and ") || "true";
}

/** SQL condition: `row` has those columns of `of` that never change for an entity; others may have been different before. */
export function isOfKey(history: History, of: Readonly<Record<string, string>>, row: string): string {
  const conditions = keyColumns(history).flatMap((column) =>
    of[column] === undefined ? [] : [`${row}.${column} = ${of[column]}`],
  );
  return conditions.join(" and ") || "true";
}
