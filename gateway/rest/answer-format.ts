// The formats of rows, besides the JSON of the public interface: every value is exact, and none is written
// with an exponent.

import { mapBatches } from "../database/batches.ts";
import { InvalidInputError } from "../errors.ts";
import type { RowStream } from "./row-stream.ts";

/** Forms that are text, row by row. */
type TextFormat = "json" | "ndjson" | "csv";
export type AnswerFormat = TextFormat | "parquet";

export const CONTENT_TYPES: Record<AnswerFormat, string> = {
  json: "application/json",
  ndjson: "application/x-ndjson",
  csv: "text/csv; charset=utf-8; header=present",
  parquet: "application/vnd.apache.parquet",
};

const isFormat = (text: string): text is AnswerFormat => Object.hasOwn(CONTENT_TYPES, text);

export const NO_FORMAT = "must be json, ndjson, csv or parquet";

/** JSON unless something else is asked for. @throws InvalidInputError naming `format` */
export function parseFormat(text: string | undefined): AnswerFormat {
  if (text === undefined) return "json";
  if (!isFormat(text)) throw new InvalidInputError("format", NO_FORMAT);
  return text;
}

export interface Column<Row> {
  name: string;
  /** Addresses and amounts are text, also in JSON; null where there is no value. */
  read(row: Row): string | number | null;
}

export interface AnswerTable<Row> {
  columns: readonly Column<Row>[];
  batches: AsyncIterator<Row[]>;
  /** What JSON says beside `results`, and a Parquet file among its metadata. */
  heading: Readonly<Record<string, unknown>>;
  /** Fields of a row as JSON has them, where they are more than its columns. */
  objectOf?: ((row: Row) => Record<string, unknown>) | undefined;
  /** The whole of the JSON, where it has another shape. */
  json?: (() => WrittenTable) | undefined;
}

/** A table's text. */
export type WrittenTable = Pick<RowStream, "opening" | "closing" | "separator" | "batches">;

/** A row as a JSON object: its columns, or more. */
const objectOf = <Row>({ columns, objectOf: whole }: Pick<AnswerTable<Row>, "columns" | "objectOf">, row: Row) =>
  whole ? whole(row) : Object.fromEntries(columns.map(({ name, read }) => [name, read(row)]));

/** A line without its end. No value holds a comma, a quote or a line's end, so none is quoted. */
export const csvLine = (values: readonly (string | number | null)[]): string =>
  values.map((value) => value ?? "").join(",");

export const csvHeader = <Row>(columns: readonly Column<Row>[]): string => csvLine(columns.map(({ name }) => name));

/** The table's text around and between its rows; lines end with LF, the last one too. */
export function writeTable<Row>(table: AnswerTable<Row>, format: TextFormat): WrittenTable {
  if (format === "json" && table.json) return table.json();
  const { columns, batches, heading } = table;
  const rows = (entryOf: (row: Row) => string) => mapBatches(batches, entryOf);
  const asObject = (row: Row) => JSON.stringify(objectOf(table, row));
  if (format === "json") {
    const rest = JSON.stringify(heading).slice(1);
    return {
      opening: '{"results":[',
      closing: rest === "}" ? "]}" : `],${rest}`,
      separator: ",",
      batches: rows(asObject),
    };
  }
  const line = format === "csv" ? (row: Row) => csvLine(columns.map(({ read }) => read(row))) : asObject;
  return {
    opening: format === "csv" ? `${csvHeader(columns)}\n` : "",
    closing: "",
    separator: "",
    batches: rows((row) => `${line(row)}\n`),
  };
}
