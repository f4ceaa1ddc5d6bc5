// The lake's datasets and the SQL of their rows. Numbers that an index gives to assets, pools and islands differ between
// indexes of one chain: the lake has addresses in their place.
import { blockColumn } from "../fact-tables.ts";
import { durationClassSql } from "../history/duration-class.ts";
import { histories } from "../history/histories.ts";
import type { History } from "../history/history.ts";
import { isPrunable, requireIntervals } from "../history/pruned.ts";
import { type LakeColumn, lakeColumn, lakeValue, meaningOf, ownValue } from "./columns.ts";

export interface Dataset {
  name: string;
  columns: readonly LakeColumn[];
  /** Columns that its rows are sorted by; together they identify a row. */
  order: readonly string[];
}

/** A history: rows that ended in a segment, and rows that hold at its end. */
export interface HistoryDatasets {
  history: History;
  /** Columns that distinguish entities in the lake. */
  key: readonly LakeColumn[];
  closed: Dataset;
  open: Dataset;
}

interface Field {
  column: LakeColumn;
  /** SQL over the rows that {@link joinsOf} joins to relation `row`. */
  sql(row: string): string;
}

const field = (name: string, sqlType: string, sql: Field["sql"]): Field => ({
  column: lakeColumn(name, meaningOf(sqlType)),
  sql: (row) => lakeValue(sql(row), sqlType),
});

interface Reference {
  /** The table that has what the numbers stand for. */
  table: string;
  /** The columns that the lake has for them. */
  fields: readonly Field[];
  /** SQL condition on the table's row, joined as in {@link joinsOf}: it is the one that relation `row` of the lake names. */
  isIt(row: string): string;
}

const byAddress = (name: string, table: string): Reference => ({
  table,
  fields: [field(name, "bytea", () => `of_${name}.address`)],
  isIt: (row) => `of_${name}.address = ${ownValue(`${row}.${name}`, "bytea")}`,
});

/** Columns with numbers of this index. */
const references: Readonly<Record<string, Reference>> = {
  asset: {
    table: "asset",
    fields: [field("ledger", "text", () => "of_asset.kind"), field("token", "bytea", () => "of_asset.key")],
    isIt: (row) => `of_asset.kind = ${row}.ledger and of_asset.key = ${ownValue(`${row}.token`, "bytea")}`,
  },
  pool: byAddress("pool", "v3_pool"),
  island: byAddress("island", "island"),
};

const isReference = (name: string, sqlType: string): boolean => sqlType === "int4" && name in references;

const fieldsOf = (columns: Readonly<Record<string, string>>): Field[] =>
  Object.entries(columns).flatMap(([name, sqlType]) =>
    isReference(name, sqlType)
      ? [...(references[name]?.fields ?? [])]
      : [field(name, sqlType, (row) => `${row}.${name}`)],
  );

const joinsOf = ({ key, values }: History, fold: string, row: string): string =>
  Object.entries({ ...key, ...values })
    .filter(([name, sqlType]) => isReference(name, sqlType))
    .map(([name]) => `join ${fold}.${references[name]?.table} of_${name} on of_${name}.id = ${row}.${name}`)
    .join(" ");

export const FROM_BLOCK = lakeColumn("from_block", "integer");
export const TO_BLOCK = lakeColumn("to_block", "integer");

function datasetsOf(history: History): HistoryDatasets {
  const key = fieldsOf(history.key).map(({ column }) => column);
  const columns = [...key, ...fieldsOf(history.values).map(({ column }) => column), FROM_BLOCK];
  const order = [...key, FROM_BLOCK].map(({ name }) => name);
  return {
    history,
    key,
    closed: { name: `${history.name}_closed`, columns: [...columns, TO_BLOCK], order },
    open: { name: `${history.name}_open`, columns, order },
  };
}

export const historyDatasets: readonly HistoryDatasets[] = histories.map(datasetsOf);

interface HistoryRange {
  /** Quoted name of the fold's schema. */
  fold: string;
  /** Rows that ended in this block or before are left out. */
  after: number;
  /** Rows that began after this block are left out. */
  upTo: number;
}

/**
 * SELECT text of final rows in the columns of `closed`; `to_block` is null in those that still hold. The rows that end are
 * found by `to_block` alone. The statement ends with PRUNED_STATE where rows of the range were pruned.
 */
export function historyText(history: History, { fold, after, upTo }: HistoryRange): string {
  const fields = [...fieldsOf(history.key), ...fieldsOf(history.values)];
  const select = (row: string, from: string, to: string) => `
    select ${fields.map(({ sql }) => sql(row)).join(", ")}, ${from}, ${to}`;
  return `${select("i", "i.from_block", "i.to_block")}
      from ${fold}.${history.name}_interval i ${joinsOf(history, fold, "i")}
     where ${isPrunable(history) ? `${requireIntervals(fold, String(after), String(upTo))} and ` : ""}i.to_block > ${after} and i.from_block <= ${upTo}
    union all${select("c", "c.since", "null::int4")}
      from ${fold}.${history.name}_current c ${joinsOf(history, fold, "c")}
     where c.since <= ${upTo}`;
}

/**
 * SELECT text of the rows of `relation`, which has the history's own columns, in the columns of `closed`, or of `open` without
 * `toBlock`; that and `fromBlock` are SQL over relation `r`.
 */
export const historyRows = (
  history: History,
  { fold, relation, fromBlock, toBlock }: { fold: string; relation: string; fromBlock: string; toBlock?: string },
): string => {
  const fields = [...fieldsOf(history.key), ...fieldsOf(history.values)];
  return `select ${fields.map(({ sql }) => sql("r")).join(", ")}, ${fromBlock} as from_block${toBlock === undefined ? "" : `, ${toBlock} as to_block`}
    from ${relation} r ${joinsOf(history, fold, "r")}`;
};

/**
 * SELECT text of the intervals that `relation` has as the lake does, in the columns of `closed`: the history's own columns, then
 * from_block, to_block and lvl. A number of this index is null where it does not know what the lake names. `where`: SQL condition on
 * relation `r`, which has the history's own columns.
 */
export function intervalRows(
  history: History,
  { fold, relation, where = "true" }: { fold: string; relation: string; where?: string },
): string {
  const columns = Object.entries({ ...history.key, ...history.values });
  const own = columns.map(([name, sqlType]) =>
    isReference(name, sqlType) ? `of_${name}.id as ${name}` : `${ownValue(`l."${name}"`, sqlType)} as ${name}`,
  );
  const joins = columns.flatMap(([name, sqlType]) => {
    const reference = isReference(name, sqlType) ? references[name] : undefined;
    if (reference === undefined) return [];
    return [`left join ${fold}.${reference.table} of_${name} on ${reference.isIt("l")}`];
  });
  return `select r.*, ${durationClassSql("r.to_block - r.from_block")} as lvl
    from (select ${own.join(", ")}, l.from_block, l.to_block from ${relation} l ${joins.join(" ")}) r where ${where}`;
}

/** Which columns of which SQL types a table of facts has, in its order. */
export type FactColumns = readonly (readonly [name: string, sqlType: string])[];

/** A table of facts: its columns under their names. */
export const factDataset = (table: string, columns: FactColumns): Dataset => ({
  name: table,
  columns: columns.map(([name, sqlType]) => lakeColumn(name, meaningOf(sqlType))),
  order: table === "block" ? [blockColumn(table)] : [blockColumn(table), "log_index"],
});

/** SELECT text of its rows with first <= block <= last; `schema` is the quoted name of Ponder's. */
export function factText(
  table: string,
  columns: FactColumns,
  { schema, first, last }: { schema: string; first: number; last: number },
): string {
  const values = columns.map(([name, sqlType]) => lakeValue(`f."${name}"`, sqlType));
  return `select ${values.join(", ")} from ${schema}.${table} f where f.${blockColumn(table)} between ${first} and ${last}`;
}

/** What the fold finds out about contracts, by the block in which it shows. */
interface FindingDataset extends Dataset {
  /** SELECT text of those with first <= block <= last; `fold` is the quoted name of the fold's schema. */
  text(place: { fold: string; first: number; last: number }): string;
}

/** What one whole token was worth in units of 10^-36 USD at the last block of an hour; `hour` is its begin in Unix seconds. */
export const priceDataset: Dataset = {
  name: "prices",
  columns: [
    ...[lakeColumn("hour", "integer"), lakeColumn("block", "integer"), lakeColumn("token", "hex")],
    ...[lakeColumn("usd", "decimal"), lakeColumn("strategy", "text")],
  ],
  order: ["token", "hour"],
};

const address = (expression: string): string => lakeValue(expression, "bytea");

const stops = (fold: string, kind: string, table: string): string => `
  select '${kind}' as kind, ${address("x.address")}, x.stopped_block as block, x.stopped_log, x.stopped_field,
         x.stopped_expected, x.stopped_replayed
    from ${fold}.${table} x where x.stopped_block is not null`;

/** Tokens by first appearance; assets whose ledger is impossible; contracts whose events contradict each other. */
export const findingDatasets: readonly FindingDataset[] = [
  {
    name: "tokens",
    columns: [lakeColumn("token", "hex"), lakeColumn("first_block", "integer"), lakeColumn("first_log", "integer")],
    order: ["token"],
    text: ({ fold, first, last }) => `
      select ${address("a.key")}, a.first_block, a.first_log from ${fold}.asset a
       where a.kind = 'erc20' and a.first_block between ${first} and ${last}`,
  },
  {
    name: "quarantine",
    columns: [
      ...[lakeColumn("ledger", "text"), lakeColumn("token", "hex")],
      ...[lakeColumn("block", "integer"), lakeColumn("log_index", "integer")],
      ...[lakeColumn("account", "hex"), lakeColumn("reason", "text")],
    ],
    order: ["ledger", "token"],
    text: ({ fold, first, last }) => `
      select a.kind, ${address("a.key")}, q.block, q.log_index, ${address("q.account")}, q.reason
        from ${fold}.quarantine q join ${fold}.asset a on a.id = q.asset where q.block between ${first} and ${last}`,
  },
  {
    name: "stopped",
    columns: [
      ...[lakeColumn("kind", "text"), lakeColumn("contract", "hex")],
      ...[lakeColumn("block", "integer"), lakeColumn("log_index", "integer")],
      ...[lakeColumn("field", "text"), lakeColumn("expected", "text"), lakeColumn("replayed", "text")],
    ],
    order: ["kind", "contract"],
    text: ({ fold, first, last }) => `
      select * from (${stops(fold, "v3-pool", "v3_pool")} union all ${stops(fold, "island", "island")}) s
       where s.block between ${first} and ${last}`,
  },
];
