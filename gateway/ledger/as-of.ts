// Reading the fold's tables as of one block: what every as-of read is given.
import { keepAnswers } from "./kept-answers.ts";
import type { BlockPoint } from "./point.ts";
import { readRows, readShared } from "./shared-statements.ts";
import type { Snapshot } from "./snapshot.ts";

export interface AsOf {
  /** Quoted name of the fold's schema. */
  fold: string;
  point: BlockPoint;
  /** Where the tables are read: the block, or the watermark when the block lies above it. */
  folded: number;
  rows<T extends object>(text: string, parameters?: string[]): Promise<T[]>;
  /** The same of a text that does not change from request to request: see `Connection.prepared`, and `readTogether`. */
  prepared<T extends object>(text: string, parameters: string[]): Promise<T[]>;
  /**
   * The same of what `folded` alone decides: nothing that may be read from a contract later. For the newest blocks, which
   * have the watermark in common, it is kept: the rows are shared and not to be changed.
   */
  final<T extends object>(text: string, parameters: string[]): Promise<T[]>;
}

/** Rows, and texts of so many characters, that are kept. */
const MOST_KEPT = 200_000;
const CHARACTERS_PER_ROW = 64;

const weigh = (rows: readonly object[]): number => {
  const [first] = rows;
  const values: unknown[] = first === undefined ? [] : Object.values(first);
  const characters = values.reduce<number>((sum, value) => sum + (typeof value === "string" ? value.length : 0), 0);
  return 1 + rows.length * (1 + Math.floor(characters / CHARACTERS_PER_ROW));
};

const kept = keepAnswers<object[]>({ most: MOST_KEPT, mostAnswers: 800, weigh });

/** Texts are few and long. */
const numbers = new Map<string, number>();

function numberOf(text: string): number {
  const number = numbers.get(text) ?? numbers.size;
  numbers.set(text, number);
  return number;
}

/** `snapshot` must be open, or assume the point. */
export function asOf(snapshot: Snapshot, point: BlockPoint): AsOf {
  const folded = Math.min(point.block, point.watermark);
  const prepared = <T extends object>(text: string, parameters: string[]) => readShared<T>(snapshot, text, parameters);
  return {
    fold: snapshot.schemas.fold,
    point,
    folded,
    rows: (text, parameters) => readRows(snapshot, text, parameters),
    prepared,
    final<T extends object>(text: string, parameters: string[]) {
      const read = () => prepared<T>(text, parameters);
      if (point.block < point.watermark) return read();
      const place = { snapshot, point: { ...point, block: folded, hash: "final" } };
      return kept.of({ ...place, about: `${numberOf(text)} ${parameters.join("|")}` }, read) as Promise<T[]>;
    },
  };
}
