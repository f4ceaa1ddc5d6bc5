// Reading the fold's tables as of one block: what every as-of read is given.
import { hash } from "node:crypto";
import { FINAL } from "../cache/answer-cache.ts";
import { question } from "../cache/question.ts";
import type { BlockPoint } from "./point.ts";
import { readRows, readShared } from "./shared-statements.ts";
import type { Snapshot } from "./snapshot.ts";

export interface AsOf {
  /** Quoted name of the fold's schema. */
  fold: string;
  point: BlockPoint;
  /** The number of the block. */
  folded: number;
  rows<T extends object>(text: string, parameters?: string[]): Promise<T[]>;
  /** The same of a text that does not change from request to request: see `Connection.prepared`, and `readTogether`. */
  prepared<T extends object>(text: string, parameters: string[]): Promise<T[]>;
  /**
   * The same of what the block alone decides: nothing that may be read from a contract later. It is cached: the rows are
   * shared and not to be changed.
   */
  final<T extends object>(text: string, parameters: string[]): Promise<T[]>;
}

/** Rows of as-of tables, by text and parameters. */
const rowsAsOf = question<object[]>("as-of-rows");

/** `snapshot` must be open. */
export function asOf(snapshot: Snapshot, point: BlockPoint): AsOf {
  const { fold } = snapshot.schemas;
  const prepared = <T extends object>(text: string, parameters: string[]) => readShared<T>(snapshot, text, parameters);
  const at = point.block <= point.finalized ? FINAL : point.hash;
  return {
    ...{ fold, point, folded: point.block, prepared },
    rows: (text, parameters) => readRows(snapshot, text, parameters),
    final<T extends object>(text: string, parameters: string[]) {
      const place = { at, key: `${point.block} ${parameters.join("|")} ${hash("md5", text)}` };
      return snapshot.cache.of(rowsAsOf, place, () => prepared<T>(text, parameters)) as Promise<T[]>;
    },
  };
}
