// What DuckDB has of each dataset: the lake's files, and tables with what is newer. Rows of final blocks are added to tables
// of schema `tail` and stay; rows of blocks that may still be replaced are in tables of schema `near`, made anew with each head.
import { everyFactTable } from "../core/fact-tables.ts";
import type { LakeColumn } from "../core/lake/columns.ts";
import {
  type Dataset,
  type FactColumns,
  factDataset,
  findingDatasets,
  historyDatasets,
} from "../core/lake/datasets.ts";
import { literal } from "../core/sql-literal.ts";
import { sourceKinds } from "../gateway/backing/held-as.ts";
import { named } from "../lake/duck.ts";
import type { Manifest } from "../lake/manifest.ts";

/** A file of a segment, by its absolute path. */
interface SegmentFile {
  /** The segment's last block. */
  last: number;
  path: string;
}

/** Those of a dataset, in the order of blocks. */
export const filesOfDataset = (manifest: Manifest | undefined, folder: string, dataset: string): SegmentFile[] =>
  (manifest?.segments ?? []).flatMap(({ last, files }) =>
    files.filter((file) => file.dataset === dataset).map(({ path }) => ({ last, path: `${folder}/${path}` })),
  );

/** All fact tables that the index has. */
export const factDatasets = (columns: ReadonlyMap<string, FactColumns>): Dataset[] =>
  everyFactTable.flatMap((table) => {
    const found = columns.get(table) ?? [];
    return found.length === 0 ? [] : [factDataset(table, found)];
  });

export const tokensDataset: Dataset | undefined = findingDatasets.find(({ name }) => name === "tokens");

/** Text columns that hold amounts are BIGNUM in statements. */
export const shown = ({ name, meaning }: LakeColumn): string =>
  meaning === "decimal" ? `${named(name)}::BIGNUM as ${named(name)}` : named(name);

export const typedNames = (columns: readonly LakeColumn[]): string =>
  columns.map(({ name, type }) => `${named(name)} ${type}`).join(", ");

/** FROM item of several files with the same columns. */
export const filesText = (paths: readonly string[]): string => `read_parquet([${paths.map(literal).join(", ")}])`;

/** Parts that have the same columns between them. */
export const unionOf = (arms: readonly string[]): string => arms.join("\n union all ");

/** Of `look_through`, in the order of `balanceColumns`: the whole amount, and that of each kind of source. */
export const lookThroughAmounts: readonly string[] = [
  "amount",
  ...sourceKinds.map((kind) => (kind === "balance" ? "wallet" : kind.replaceAll("-", "_"))),
];

/** `create table` texts of everything that the tail is loaded into. */
export function tailTables(facts: readonly Dataset[]): string[] {
  const histories = historyDatasets.flatMap(({ history, closed, open }) => [
    `create table tail.${history.name}_ended (${typedNames(closed.columns)})`,
    `create table tail.${history.name}_begun (${typedNames(open.columns)})`,
    `create table near.${history.name}_rows (${typedNames(closed.columns)})`,
  ]);
  const others = [...facts, ...(tokensDataset ? [tokensDataset] : [])].flatMap(({ name, columns }) => [
    `create table tail.${named(name)} (${typedNames(columns)})`,
    `create table near.${named(name)} (${typedNames(columns)})`,
  ]);
  return [
    "create schema tail",
    "create schema near",
    "create schema inside",
    ...histories,
    ...others,
    "create table inside.names (token VARCHAR, name VARCHAR, symbol VARCHAR, decimals INTEGER)",
    "create table inside.quarantine (ledger VARCHAR, token VARCHAR, block INTEGER, log_index INTEGER, account VARCHAR, reason VARCHAR)",
    `create table inside.head (block INTEGER, hash VARCHAR, "timestamp" INTEGER, finalized INTEGER, first_block INTEGER, lake_last INTEGER)`,
    `create table inside.looked_through (token VARCHAR, block INTEGER, account VARCHAR,
       ${lookThroughAmounts.map((name) => `${name} VARCHAR`).join(", ")})`,
    `create table inside.looked_through_answer (token VARCHAR, block INTEGER, hash VARCHAR, state VARCHAR, rows INTEGER,
       incomplete VARCHAR)`,
  ];
}
