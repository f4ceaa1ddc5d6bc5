// The lake's datasets as tables of ClickHouse, and as views over the files themselves. A segment of the lake is a partition:
// what its files say is one partition of each table, sorted as the file is, and the table as of a block is one partition.

import type { LakeColumn } from "../../core/lake/columns.ts";
import type { Dataset } from "../../core/lake/datasets.ts";

/** A dataset, and those of its columns that can be null. */
export interface NullableDataset extends Dataset {
  nullable: ReadonlySet<string>;
}

/** Columns with integers below zero; all others fit the EVM's own uint256. */
const signed: ReadonlySet<string> = new Set([
  "v3_swap.amount0",
  "v3_swap.amount1",
  "v3_tick_closed.liquidity_net",
  "v3_tick_open.liquidity_net",
]);

/** Columns that queries filter by, the most common first: rows with the same value lie together, on one shard. */
const subjects = ["token", "pool", "pair", "island", "vault", "manager", "contract", "factory"];

/** Columns of accounts that do not come first in the order, by which queries filter too. */
const accounts = ["account", "owner"];

interface TypedColumn {
  name: string;
  type: string;
  /** As the file has it. */
  stored: string;
}

function typedColumn({ name, nullable }: NullableDataset, { name: column, type, meaning }: LakeColumn): TypedColumn {
  const orNull = (inner: string) => (nullable.has(column) ? `Nullable(${inner})` : inner);
  const stored = type === "INTEGER" ? "Int32" : "String";
  const integer = signed.has(`${name}.${column}`) ? "Int256" : "UInt256";
  return { name: column, type: orNull(meaning === "decimal" ? integer : stored), stored: orNull(stored) };
}

const columnsOf = (dataset: NullableDataset): TypedColumn[] =>
  dataset.columns.map((column) => typedColumn(dataset, column));

function subjectOf({ columns, nullable, order }: NullableDataset): string {
  const names = new Set(columns.map(({ name }) => name));
  return subjects.find((subject) => names.has(subject) && !nullable.has(subject)) ?? order[0] ?? "";
}

/** The file's order, after the columns that queries filter by: in histories these come first already. */
function orderOf(dataset: NullableDataset): string[] {
  const subject = subjectOf(dataset);
  return dataset.order.includes(subject) ? [...dataset.order] : [subject, ...dataset.order];
}

const SEGMENT = { name: "segment", type: "Int32" };

function body(dataset: NullableDataset): string {
  const lines = [SEGMENT, ...columnsOf(dataset)].map(({ name, type }) => `  \`${name}\` ${type}`);
  const found = orderOf(dataset)
    .slice(1)
    .find((column) => accounts.includes(column));
  if (found !== undefined) lines.push(`  index by_${found} \`${found}\` type bloom_filter(0.01) granularity 1`);
  return lines.join(",\n");
}

const listed = (columns: readonly string[]): string => columns.map((column) => `\`${column}\``).join(", ");

/** Tables that record which segments are complete here, and which files. */
const records = [
  { name: "lake_segment", body: "  `first` Int32,\n  `last` Int32,\n  `hash` String", order: ["last"] },
  { name: "lake_file", body: "  `path` String,\n  `sha256` String,\n  `rows` UInt64", order: ["path"] },
];

/** The end of a table's statement on one server. `deduplication`: the setting by which repeated inserts are recognised by their token. */
const settings = (deduplication: string): string =>
  `settings default_compression_codec = 'ZSTD(1)', ${deduplication} = 10000`;

const HEAD = "-- Made from the lake's datasets by `node scripts/clickhouse-schema.ts`.";

/** Tables of one server. */
export function serverSchema(datasets: readonly NullableDataset[]): string {
  const ending = `\n${settings("non_replicated_deduplication_window")};`;
  const tables = datasets.map(
    (dataset) => `create table if not exists ${dataset.name} (
${body(dataset)}
) engine = MergeTree
partition by segment order by (${listed(orderOf(dataset))})${ending}`,
  );
  const recordTables = records.map(
    ({ name, body: columns, order }) => `create table if not exists ${name} (
${columns}
) engine = ReplacingMergeTree
order by (${listed(order)});`,
  );
  return `${HEAD} A segment is a partition; \`segment\`: its last block.\n\n${[...tables, ...recordTables].join("\n\n")}\n`;
}

/** Where a shard's replicas, or all servers, find one another. */
const replicated = (engine: string, who: string): string =>
  who === "shard"
    ? `Replicated${engine}('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')`
    : `Replicated${engine}('/clickhouse/tables/all/{database}/{table}', '{shard}-{replica}')`;

const ON_CLUSTER = "on cluster '{cluster}'";

/** Tables of a cluster: for each dataset one of which every shard has a part, and one that queries all parts. */
export function clusterSchema(datasets: readonly NullableDataset[]): string {
  const ending = `\n${settings("replicated_deduplication_window")};`;
  const tables = datasets.map(
    (dataset) => `create table if not exists ${dataset.name}_shard ${ON_CLUSTER} (
${body(dataset)}
) engine = ${replicated("MergeTree", "shard")}
partition by segment order by (${listed(orderOf(dataset))})${ending}

create table if not exists ${dataset.name} ${ON_CLUSTER} as ${dataset.name}_shard
engine = Distributed('{cluster}', currentDatabase(), '${dataset.name}_shard', cityHash64(\`${subjectOf(dataset)}\`));`,
  );
  const recordTables = records.map(
    ({ name, body: columns, order }) => `create table if not exists ${name} ${ON_CLUSTER} (
${columns}
) engine = ${replicated("ReplacingMergeTree", "all")}
order by (${listed(order)});`,
  );
  return `${HEAD} A segment is a partition; \`segment\`: its last block.
-- The macros cluster, shard and replica are each server's own (README.md).

${[...tables, ...recordTables].join("\n\n")}
`;
}

/** Views of the same names over the files where they lie; LAKE stands for the folder of the chain. */
export function filesSchema(datasets: readonly NullableDataset[]): string {
  const views = datasets.map((dataset) => {
    const columns = columnsOf(dataset);
    const selected = columns.map(({ name, type, stored }) =>
      type === stored ? `\`${name}\`` : `cast(\`${name}\`, '${type}') as \`${name}\``,
    );
    const structure = columns.map(({ name, stored }) => `\`${name}\` ${stored}`).join(", ");
    return `create or replace view ${dataset.name} as
select toInt32(substring(cast(_file, 'String'), 12, 10)) as segment, ${selected.join(", ")}
from file('LAKE/${dataset.name}/*.parquet', Parquet, '${structure}');`;
  });
  return `${HEAD} LAKE: the folder of the chain (README.md).

${views.join("\n\n")}

create or replace view lake_segment as
select tupleElement(s, 1) as first, tupleElement(s, 2) as last, tupleElement(s, 3) as hash from (
  select arrayJoin(JSONExtract(manifest, 'segments', 'Array(Tuple(first Int32, last Int32, hash String))')) as s
  from file('LAKE/manifest.json', RawBLOB, 'manifest String'));
`;
}

/** The single statements of a text that this file has made. */
export const statementsOf = (schema: string): string[] =>
  schema
    .replaceAll(/^--.*$/gm, "")
    .split(/;\n/)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "");
