// The rows of a result, made values of JavaScript a few at a time: while they are made this process does nothing else, and looks at no
// clock and at no memory.
import { setImmediate as otherWork } from "node:timers/promises";
import {
  DuckDBArrayVector,
  DuckDBListVector,
  DuckDBMapVector,
  type DuckDBResult,
  DuckDBStructVector,
  DuckDBUnionVector,
  type DuckDBValue,
  DuckDBVariantVector,
  type DuckDBVector,
} from "@duckdb/node-api";
import { SqlInvalidError } from "../gateway/sql/sql-errors.ts";

export type AnswerRow = readonly DuckDBValue[];

export interface ReadRows {
  result: DuckDBResult;
  /** Called with the number of rows before they are made; throws to stop. */
  onRows(count: number): void;
  /** Called after the last row; throws where there should have been more. */
  requireWhole(): Promise<void>;
}

const AT_ONCE_MS = 10;
/** Of all lists, maps and arrays within one row, which is made at once: they take about a second. */
const MOST_ELEMENTS = 1_000_000;

export async function* answerRows({ result, onRows, requireWhole }: ReadRows): AsyncGenerator<AnswerRow[], undefined> {
  const columns = Array.from({ length: result.columnCount }, (_, i) => i);
  for (;;) {
    const chunk = await result.fetchChunk();
    const count = chunk?.rowCount ?? 0;
    if (!chunk || count === 0) {
      await requireWhole();
      return undefined;
    }
    onRows(count);
    const rowAt = rowReader(columns.map((column) => chunk.getColumnVector(column)));
    for (let at = 0; at < count; ) {
      const rows = [rowAt(at)];
      const until = performance.now() + AT_ONCE_MS;
      while (at + rows.length < count && performance.now() < until) rows.push(rowAt(at + rows.length));
      yield rows;
      at += rows.length;
      if (at < count) await otherWork();
    }
  }
}

function rowReader(vectors: readonly DuckDBVector[]): (at: number) => AnswerRow {
  const nested = vectors.filter(isNested);
  const readers = vectors.map(readerOf);
  return (at) => {
    if (nested.length > 0) requireFew(nested, at);
    return readers.map((read) => read(at));
  };
}

const readerOf = (vector: DuckDBVector): ((at: number) => DuckDBValue) =>
  // a vector keeps what it has made of its values, and so would all lists of a chunk stay in memory
  isNested(vector) ? (at) => vector.slice(at, 1).getItem(0) : (at) => vector.getItem(at);

/** @throws SqlInvalidError */
function requireFew(nested: readonly DuckDBVector[], at: number): void {
  let elements = 0;
  for (const vector of nested) elements += elementsAt(vector, at, MOST_ELEMENTS - elements);
  if (elements > MOST_ELEMENTS)
    throw new SqlInvalidError(
      `a row has lists of more than ${MOST_ELEMENTS} elements together; unnest() makes rows of them`,
    );
}

const NESTED = [DuckDBListVector, DuckDBStructVector, DuckDBMapVector, DuckDBUnionVector, DuckDBArrayVector];

function isNested(vector: DuckDBVector): boolean {
  if (vector instanceof DuckDBVariantVector)
    throw new SqlInvalidError("VARIANT is no type of an answer; cast it to JSON");
  return NESTED.some((kind) => vector instanceof kind);
}

/** Vectors within a vector that the client's types do not show. */
interface Inner {
  listVector: DuckDBVector;
  structVector: DuckDBVector;
  childData: DuckDBVector;
}

/** How many elements a value has at any depth; counting ends beyond `most`. */
function elementsAt(vector: DuckDBVector, at: number, most: number): number {
  const inner = vector as unknown as Inner;
  if (vector instanceof DuckDBMapVector) return elementsAt(inner.listVector, at, most);
  if (vector instanceof DuckDBUnionVector) return elementsAt(inner.structVector, at, most);
  if (vector instanceof DuckDBStructVector)
    return vector.type.entryTypes.reduce((sum, _, i) => sum + elementsAt(vector.entryVectorAt(i), at, most - sum), 0);
  if (vector instanceof DuckDBListVector) {
    const items = vector.getItemVector(at);
    return items ? elementsIn(items, { from: 0, count: items.itemCount }, most) : 0;
  }
  if (!(vector instanceof DuckDBArrayVector)) return 0;
  const { length } = vector.type;
  return elementsIn(inner.childData, { from: at * length, count: length }, most);
}

function elementsIn(items: DuckDBVector, { from, count }: { from: number; count: number }, most: number): number {
  let sum = count;
  if (isNested(items))
    for (let i = from; i < from + count && sum <= most; i += 1) sum += elementsAt(items, i, most - sum);
  return sum;
}
