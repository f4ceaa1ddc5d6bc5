// A result's rows in one of four forms, piece by piece.
import type { DuckDBResult, DuckDBValue } from "@duckdb/node-api";
import type { AnswerFormat } from "../gateway/rest/answer-format.ts";
import { openParquet } from "../gateway/rest/parquet.ts";
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

interface Written {
  result: DuckDBResult;
  head: AnswerHead;
  /** Called with the number of rows before they are written; throws to stop. */
  onRows(count: number): void;
  /** Called after the last row, before the answer is ended; throws where there should have been more. */
  requireWhole(): Promise<void>;
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

async function* chunksOf({ result, onRows, requireWhole }: Written): AsyncGenerator<DuckDBValue[][], undefined> {
  for (;;) {
    const chunk = await result.fetchChunk();
    if (!chunk || chunk.rowCount === 0) {
      await requireWhole();
      return undefined;
    }
    onRows(chunk.rowCount);
    yield chunk.getColumns();
  }
}

/** The rows of chunks as JSON objects, in arrays. */
async function* objectsOf(written: Written): AsyncGenerator<string[], undefined> {
  const { result } = written;
  const keys = result.deduplicatedColumnNames().map((name, i) => `${i === 0 ? "{" : ","}${JSON.stringify(name)}:`);
  const writers = result.columnTypes().map(toJson);
  for await (const columns of chunksOf(written)) {
    const rows: string[] = [];
    for (let at = 0; at < (columns[0]?.length ?? 0); at += 1) {
      let row = "";
      for (let i = 0; i < columns.length; i += 1) row += keys[i] + (writers[i]?.(columns[i]?.[at] ?? null) ?? "null");
      rows.push(`${row}}`);
    }
    yield rows;
  }
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
  for await (const columns of chunksOf(written)) {
    let text = "";
    for (let at = 0; at < (columns[0]?.length ?? 0); at += 1)
      text += `${columns.map((values, i) => field(writers[i]?.(values[at] ?? null) ?? null)).join(",")}\n`;
    yield text;
  }
  return undefined;
}

async function* parquetPieces(written: Written): Pieces {
  const { result, head } = written;
  const writers = result.columnTypes().map(toText);
  const columns = columnsOf(result).map(({ name }, i) => ({
    name,
    read: (row: readonly DuckDBValue[]) => writers[i]?.(row[i] ?? null) ?? null,
  }));
  const file = openParquet(columns, { block: String(head.block), blockHash: head.hash });
  for await (const values of chunksOf(written)) {
    const rows = (values[0] ?? []).map((_, at) => values.map((column) => column[at] ?? null));
    const bytes = await file.take(rows);
    if (bytes.length > 0) yield bytes;
  }
  yield await file.end();
  return undefined;
}
