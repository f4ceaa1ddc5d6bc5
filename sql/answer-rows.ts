// The rows of a result, made values of JavaScript a few at a time: while they are made this process does nothing else, and looks at no
// clock and at no memory.
import { setImmediate as otherWork } from "node:timers/promises";
import {
  DuckDBListVector,
  type DuckDBResult,
  DuckDBStructVector,
  type DuckDBValue,
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
/** Of lists within one value, all of which is made at once: it takes about a second. */
const MOST_ELEMENTS = 1_000_000;

export async function* answerRows({ result, onRows, requireWhole }: ReadRows): AsyncGenerator<AnswerRow[], undefined> {
  const names = result.deduplicatedColumnNames();
  for (;;) {
    const chunk = await result.fetchChunk();
    const count = chunk?.rowCount ?? 0;
    if (!chunk || count === 0) {
      await requireWhole();
      return undefined;
    }
    onRows(count);
    const readers = names.map((name, i) => readerOf(chunk.getColumnVector(i), name));
    for (let at = 0; at < count; ) {
      const rows: AnswerRow[] = [];
      const until = performance.now() + AT_ONCE_MS;
      do {
        rows.push(readers.map((read) => read(at)));
        at += 1;
      } while (at < count && performance.now() < until);
      yield rows;
      if (at < count) await otherWork();
    }
  }
}

type Nested = DuckDBListVector | DuckDBStructVector;

const isNested = (vector: DuckDBVector): vector is Nested =>
  vector instanceof DuckDBListVector || vector instanceof DuckDBStructVector;

function readerOf(vector: DuckDBVector, name: string): (at: number) => DuckDBValue {
  if (!isNested(vector)) return (at) => vector.getItem(at);
  return (at) => {
    const elements = elementsAt(vector, at);
    if (elements > MOST_ELEMENTS)
      throw new SqlInvalidError(
        `column "${name}": a value is a list of ${elements} elements, and may have ${MOST_ELEMENTS}; unnest() makes rows of them`,
      );
    // a vector keeps what it has made of its values, and so would all lists of a chunk stay in memory
    return vector.slice(at, 1).getItem(0);
  };
}

/** How many elements the lists within a value have together; counting ends where they are too many. */
function elementsAt(vector: Nested, at: number): number {
  if (vector instanceof DuckDBStructVector)
    return vector.type.entryTypes.reduce((sum, _, i) => {
      const entry = vector.entryVectorAt(i);
      return sum + (isNested(entry) ? elementsAt(entry, at) : 0);
    }, 0);
  const items = vector.getItemVector(at);
  let sum = items?.itemCount ?? 0;
  if (items && isNested(items))
    for (let i = 0; i < items.itemCount && sum <= MOST_ELEMENTS; i += 1) sum += elementsAt(items, i);
  return sum;
}
