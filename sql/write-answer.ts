// A result's rows in one of four forms, piece by piece.
import type { DuckDBResult } from "@duckdb/node-api";
import type { AnswerFormat } from "../gateway/rest/answer-format.ts";
import { openParquet } from "../gateway/rest/parquet.ts";
import { type AnswerRow, answerRows, type ReadRows } from "./answer-rows.ts";
import { toJson, toText } from "./answer-values.ts";

export interface AnswerHead {
  block: number;
  hash: string;
}

export interface AnswerColumn {
  name: string;
  /** DuckDB's name of its type. */
  type: string;
}

interface Written extends ReadRows {
  head: AnswerHead;
}

type Pieces = AsyncGenerator<string | Uint8Array, undefined>;

export const columnsOf = (result: DuckDBResult): AnswerColumn[] =>
  result.deduplicatedColumnNames().map((name, i) => ({ name, type: String(result.columnType(i)) }));

export const writeAnswer = (format: AnswerFormat, written: Written): Pieces =>
  ({ json: jsonPieces, ndjson: linePieces, csv: csvPieces, parquet: parquetPieces })[format](written);

/** What is written after the rows that were sent to end an answer that breaks off, where the form has a place for it. */
export function brokenEnd(format: AnswerFormat, error: { code: string; message: string }): string {
  if (format === "json") return `],"error":${JSON.stringify(error)}}`;
  return format === "ndjson" ? `${JSON.stringify({ error })}\n` : "";
}

/** The rows as JSON objects, in arrays. */
async function* objectsOf(written: Written): AsyncGenerator<string[], undefined> {
  const { result } = written;
  const keys = result.deduplicatedColumnNames().map((name, i) => `${i === 0 ? "{" : ","}${JSON.stringify(name)}:`);
  const writers = result.columnTypes().map(toJson);
  const objectOf = (row: AnswerRow) =>
    `${row.map((value, i) => `${keys[i]}${writers[i]?.(value) ?? "null"}`).join("")}}`;
  for await (const rows of answerRows(written)) yield rows.map(objectOf);
  return undefined;
}

async function* jsonPieces(written: Written): Pieces {
  const { head, result } = written;
  const about = { block: head.block, blockHash: head.hash, columns: columnsOf(result) };
  yield `${JSON.stringify(about).slice(0, -1)},"rows":[`;
  let count = 0;
  for await (const rows of objectsOf(written)) {
    yield `${count === 0 ? "" : ","}${rows.join(",")}`;
    count += rows.length;
  }
  yield `],"rowCount":${count}}`;
  return undefined;
}

async function* linePieces(written: Written): Pieces {
  for await (const rows of objectsOf(written)) yield `${rows.join("\n")}\n`;
  return undefined;
}

/** As RFC 4180 quotes; an empty text is quoted, null is nothing. */
const field = (text: string | null): string => {
  if (text === null) return "";
  return text === "" || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

async function* csvPieces(written: Written): Pieces {
  const { result } = written;
  const writers = result.columnTypes().map(toText);
  yield `${result.deduplicatedColumnNames().map(field).join(",")}\n`;
  for await (const rows of answerRows(written)) {
    let text = "";
    for (const row of rows) text += `${row.map((value, i) => field(writers[i]?.(value) ?? null)).join(",")}\n`;
    yield text;
  }
  return undefined;
}

async function* parquetPieces(written: Written): Pieces {
  const { result, head } = written;
  const writers = result.columnTypes().map(toText);
  const columns = columnsOf(result).map(({ name }, i) => ({
    name,
    read: (row: AnswerRow) => writers[i]?.(row[i] ?? null) ?? null,
  }));
  const file = openParquet(columns, { block: String(head.block), blockHash: head.hash });
  for await (const rows of answerRows(written)) {
    const bytes = await file.take(rows);
    if (bytes.length > 0) yield bytes;
  }
  yield await file.end();
  return undefined;
}
