// SQL of a history as of a block, the same text for every block: nothing else knows that what is not final yet lies in a
// table of its own.
import { type History, isSameEntity, isSomething, keyColumns, listed, valueColumns } from "./history.ts";

export interface AsOfText {
  /** Quoted name of the fold's schema. */
  fold: string;
  /** SQL expression of the block at whose end the rows hold. */
  block: string;
  /** SQL condition on the columns of relation `row`; an index of all three tables should serve it. */
  where?: (row: string) => string;
  /** SELECT list over relation `row`; key and values without it. */
  select?: (row: string) => string;
}

/**
 * SELECT text of the rows that hold at the end of `block`: of each entity the newest version up to it among those that
 * are not final, else what the tables of final history say. Entities that are nothing are left out.
 *
 * An interval that reaches beyond `block` ended after it, in a final block: no version that is not final can be older.
 */
export function rowsAt(history: History, asOf: AsOfText): string {
  const { fold, block, where = () => "true", select = (row) => listed(allColumns(history), row) } = asOf;
  const table = `${fold}.${history.name}`;
  return `
    select ${select("c")} from ${table}_current c
     where ${where("c")} and c.since <= ${block} and ${hasNoRecent(history, { table, block, row: "c" })}
    union all
    select ${select("i")} from ${table}_interval i
     where ${where("i")} and i.to_block > ${block} and i.from_block <= ${block}
    union all
    ${recentRowsAt(history, { fold, block, where, select })}`;
}

/** The part of {@link rowsAt} that is not final at `block`. */
export function recentRowsAt(history: History, asOf: Required<AsOfText>): string {
  const { fold, block, where, select } = asOf;
  const table = `${fold}.${history.name}_recent`;
  return `select ${select("r")} from ${table} r
     where ${where("r")} and r.block <= ${block} and ${isSomething(history, "r")}
       and not exists (select from ${table} later
                        where ${isSameEntity(history, "later", "r")} and later.block > r.block and later.block <= ${block})`;
}

/** SQL condition on a row of final history: no version up to `block` has come after it that is not final. */
export const hasNoRecent = (
  history: History,
  { table, block, row }: { table: string; block: string; row: string },
): string =>
  `not exists (select from ${table}_recent n where ${isSameEntity(history, "n", row)} and n.block <= ${block})`;

const allColumns = (history: History): string[] => [...keyColumns(history), ...valueColumns(history)];
