// SQL for PostgreSQL: the rows that DuckDB has of blocks after the lake's last segment.
import { type History, isSameEntity, isSomething, keyColumns, listed } from "../core/history/history.ts";
import { requireIntervals } from "../core/history/pruned.ts";
import { type LakeColumn, lakeColumn, lakeValue } from "../core/lake/columns.ts";
import { historyRows } from "../core/lake/datasets.ts";

interface Range {
  /** Quoted name of the fold's schema. */
  fold: string;
  after: number;
  upTo: number;
}

/** Rows that ended in blocks of the range. */
export const endedText = (history: History, { fold, after, upTo }: Range): string =>
  historyRows(history, {
    fold,
    fromBlock: "r.from_block",
    toBlock: "r.to_block",
    relation: `(select * from ${fold}.${history.name}_interval
      where ${requireIntervals(fold, String(after), String(upTo))} and to_block > ${after} and to_block <= ${upTo} offset 0)`,
  });

/** Rows that hold at the last final block, and began in blocks of the range; without `to_block`. */
export const begunText = (history: History, { fold, after, upTo }: Range): string =>
  historyRows(history, {
    fold,
    fromBlock: "r.since",
    relation: `(select * from ${fold}.${history.name}_current where since > ${after} and since <= ${upTo})`,
  });

/**
 * What versions of blocks of the range say: what held from each of them on, up to the next one or for as long as is known, and
 * the end of what held before the first one.
 */
export function nearText(history: History, { fold, after, upTo }: Range): string {
  const { name } = history;
  const keys = keyColumns(history);
  const versions = `
    (select n.*, lead(n.block) over by_block as next_block, row_number() over by_block = 1 as is_first
       from ${fold}.${name}_recent n where n.block > ${after} and n.block <= ${upTo}
     window by_block as (partition by ${listed(keys, "n")} order by n.block))`;
  const begun = historyRows(history, {
    fold,
    fromBlock: "r.block",
    toBlock: "r.next_block",
    relation: `(select v.* from ${versions} v where ${isSomething(history, "v")})`,
  });
  const ended = historyRows(history, {
    fold,
    fromBlock: "r.since",
    toBlock: "r.next_block",
    relation: `(select c.*, v.block as next_block from ${versions} v
      join ${fold}.${name}_current c on ${isSameEntity(history, "c", "v")} where v.is_first)`,
  });
  return `${begun} union all ${ended}`;
}

/** Which of `texts` have any rows, as rows of `name`. */
export const isAnyText = (texts: readonly { name: string; text: string }[]): string =>
  texts.map(({ name, text }) => `select '${name}' as name where exists (${text})`).join(" union all ");

interface Filling {
  columns: readonly LakeColumn[];
  text: string;
}

export const NAMES_TEXT = (fold: string): Filling => ({
  columns: [
    lakeColumn("token", "hex"),
    lakeColumn("name", "text"),
    lakeColumn("symbol", "text"),
    lakeColumn("decimals", "integer"),
  ],
  text: `select ${lakeValue("t.address", "bytea")}, t.name, t.symbol, t.decimals from ${fold}.token t`,
});

export const QUARANTINE_TEXT = (fold: string): Filling => ({
  columns: [
    ...[lakeColumn("ledger", "text"), lakeColumn("token", "hex"), lakeColumn("block", "integer")],
    ...[lakeColumn("log_index", "integer"), lakeColumn("account", "hex"), lakeColumn("reason", "text")],
  ],
  text: `select a.kind, ${lakeValue("a.key", "bytea")}, q.block, q.log_index, ${lakeValue("q.account", "bytea")}, q.reason
    from ${fold}.quarantine q join ${fold}.asset a on a.id = q.asset`,
});
