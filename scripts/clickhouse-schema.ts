// `node scripts/clickhouse-schema.ts` writes ops/clickhouse/*.sql from the lake's datasets.
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { clusterSchema, filesSchema, type NullableDataset, serverSchema } from "../lake/clickhouse/schema.ts";
import { everyDataset } from "../lake/make-segment.ts";
import { ponderTables } from "./ponder-tables.ts";

/** PostgreSQL's own name of a type for which Ponder uses another name. */
const catalogueType = (sqlType: string): string => (sqlType === "integer" ? "int4" : sqlType);

const NONE: ReadonlySet<string> = new Set();

/** Every dataset of the lake. */
export function lakeDatasets(): NullableDataset[] {
  const facts = ponderTables();
  const columns = new Map(
    facts.map((table) => [
      table.name,
      table.columns.map((column) => [column.name, catalogueType(column.getSQLType())] as const),
    ]),
  );
  const nullable = new Map(
    facts.map((table) => [
      table.name,
      new Set(table.columns.filter(({ notNull }) => !notNull).map(({ name }) => name)),
    ]),
  );
  return everyDataset(columns).map((dataset) => ({ ...dataset, nullable: nullable.get(dataset.name) ?? NONE }));
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
