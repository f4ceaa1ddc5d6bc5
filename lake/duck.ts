// DuckDB as the writer of Parquet: one thread, so that the same rows give the same bytes, and memory within a bound.

import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import type { LakeColumn } from "../core/lake/columns.ts";
import { literal } from "../core/sql-literal.ts";
import { CSV_NULL } from "./copy-out.ts";

const MEMORY_LIMIT = "1GB";
const ROW_GROUP = 122_880;

export interface Duck {
  run(text: string): Promise<void>;
  rows(text: string): Promise<Record<string, unknown>[]>;
  /** `duckdb 1.5.6`. */
  version: string;
  close(): void;
}

/** What does not fit into memory goes to files below `folder`. */
export async function openDuck(folder: string): Promise<Duck> {
  const instance = await DuckDBInstance.create(":memory:", {
    threads: "1",
    memory_limit: MEMORY_LIMIT,
    temp_directory: `${folder}/spilled`,
    preserve_insertion_order: "true",
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
  });
  const connection: DuckDBConnection = await instance.connect();
  const rows = async (text: string) => (await connection.runAndReadAll(text)).getRowObjectsJson();
  const [row] = await rows("select version() as version");
  return {
    rows,
    async run(text) {
      await connection.run(text);
    },
    version: `duckdb ${String(row?.version).replace(/^v/, "")}`,
    close() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

/** An identifier: some columns have names that are keywords of SQL. */
export const named = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** No line is longer; DuckDB is made to read with buffers that hold two of them instead of sixteen. */
const LONGEST_LINE = 16_777_216;

/** FROM item of CSV files that COPY has written with {@link CSV_NULL}, whose rows have `columns`. */
export function csvRows(files: readonly string[], columns: readonly LakeColumn[]): string {
  const types = columns.map(({ name, type }) => `${literal(name)}: '${type}'`).join(", ");
  return `read_csv([${files.map(literal).join(", ")}], columns = {${types}}, auto_detect = false, header = false,
    delim = ',', quote = '"', escape = '"', nullstr = ${literal(CSV_NULL)}, allow_quoted_nulls = false,
    parallel = false, max_line_size = ${LONGEST_LINE}, buffer_size = ${2 * LONGEST_LINE})`;
}

/** Writes what a SELECT gives into a file. */
export const parquetText = (select: string, file: string): string =>
  `copy (${select}) to ${literal(file)} (format parquet, compression zstd, row_group_size ${ROW_GROUP})`;

export const listedNames = (columns: readonly { name: string }[]): string =>
  columns.map(({ name }) => named(name)).join(", ");
