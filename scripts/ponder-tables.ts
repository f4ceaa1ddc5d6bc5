// Fact tables as Ponder makes them from ponder.schema.ts, for code that needs them without Ponder.
import type { Sql } from "postgres";
import { quoted } from "../fold/tables.ts";
import * as ponderSchema from "../ponder.schema.ts";

interface Column {
  name: string;
  notNull: boolean;
  getSQLType(): string;
}

const isColumn = (value: unknown): value is Column =>
  typeof value === "object" && value !== null && "getSQLType" in value && "notNull" in value;

export interface PonderTable {
  name: string;
  columns: Column[];
}

/** Every table of ponder.schema.ts, in the order in which it exports them. */
export const ponderTables = (): PonderTable[] =>
  Object.values(ponderSchema).map((table) => ({
    name: (table as unknown as Record<symbol, string>)[Symbol.for("drizzle:Name")] ?? "",
    columns: Object.values(table).filter(isColumn),
  }));

/** Creates every fact table in `schema`, which exists. */
export async function createPonderTables(sql: Sql, schema: string): Promise<void> {
  for (const { name, columns } of ponderTables()) {
    const key = columns.some((column) => column.name === "log_index") ? "block, log_index" : columns[0]?.name;
    const lines = columns.map(
      (column) => `"${column.name}" ${column.getSQLType()}${column.notNull ? " not null" : ""}`,
    );
    await sql.unsafe(`create table ${quoted(schema)}."${name}" (${lines.join(", ")}, primary key (${key}))`);
  }
}
