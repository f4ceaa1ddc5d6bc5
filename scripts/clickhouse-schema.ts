// `node scripts/clickhouse-schema.ts` writes ops/clickhouse/*.sql from the lake's datasets.
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { everyFactTable } from "../core/fact-tables.ts";
import { factDataset, findingDatasets, historyDatasets } from "../core/lake/datasets.ts";
import { clusterSchema, filesSchema, type NullableDataset, serverSchema } from "../lake/clickhouse/schema.ts";
import { ponderTables } from "./ponder-tables.ts";

/** PostgreSQL's own name of the type that Ponder calls otherwise. */
const catalogueType = (sqlType: string): string => (sqlType === "integer" ? "int4" : sqlType);

const NONE: ReadonlySet<string> = new Set();

/** Every dataset, in the order of the files. */
export function lakeDatasets(): NullableDataset[] {
  const tables = new Map(ponderTables().map(({ name, columns }) => [name, columns]));
  const facts = everyFactTable.map((table) => {
    const columns = tables.get(table) ?? [];
    return {
      ...factDataset(
        table,
        columns.map((column) => [column.name, catalogueType(column.getSQLType())] as const),
      ),
      nullable: new Set(columns.filter(({ notNull }) => !notNull).map(({ name }) => name)),
    };
  });
  const histories = historyDatasets.flatMap(({ closed, open }) => [closed, open]);
  return [...[...histories, ...findingDatasets].map((dataset) => ({ ...dataset, nullable: NONE })), ...facts];
}

/** The texts by their files' names. */
export function schemaFiles(): Readonly<Record<string, string>> {
  const datasets = lakeDatasets();
  return {
    "server.sql": serverSchema(datasets),
    "cluster.sql": clusterSchema(datasets),
    "files.sql": filesSchema(datasets),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const [name, text] of Object.entries(schemaFiles()))
    writeFileSync(fileURLToPath(new URL(`../ops/clickhouse/${name}`, import.meta.url)), text);
