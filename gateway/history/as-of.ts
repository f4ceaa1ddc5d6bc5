// Reading the fold's tables as of one block: what every as-of read is given.
import { hash } from "node:crypto";
import { type AnswerPlace, FINAL } from "../cache/answer-cache.ts";
import { question } from "../cache/question.ts";
import type { Snapshot } from "../database/snapshot.ts";
import type { BlockPoint } from "./point.ts";
import { readRows, readShared, readUnbatched } from "./shared-statements.ts";

/** All that items of `readTogether` ask in the same turn is sent together. */
export interface AsOf extends Pick<Snapshot, "fold" | "cache" | "rows" | "prepared" | "unbatched"> {
  point: BlockPoint;
  /** Part of the key of cached answers that depend on what is read from contracts, perhaps later. */
  revision: string;
  /**
   * {@link prepared} for what only the block decides: nothing that may be read from a contract later. The rows are cached and must
   * not be changed.
   */
  cached<T extends object>(text: string, parameters: string[]): Promise<T[]>;
  /** The same for what only `things` decide (see `changing`), and that does not name the block. */
  cachedSince<T extends object>(
    text: string,
    parameters: (block: string) => string[],
    things: readonly string[],
  ): Promise<T[]>;
}

/** Where the cache has an answer that the rows at the end of `point` decide. */
export const answerPlace = (
  { block, hash, finalized }: Pick<BlockPoint, "block" | "hash" | "finalized">,
  key: string,
): AnswerPlace => (block <= finalized ? { at: FINAL, key: `${block} ${key}` } : { at: hash, key });

/**
 * The same of an answer that only `things` decide, and that does not depend on the block itself: it is stored under the block that
 * last changed them.
 */
export function placeOfThings(
  point: Pick<BlockPoint, "block" | "hash" | "finalized" | "changes">,
  key: string,
  things: readonly string[],
): AnswerPlace {
  const at = point.changes?.sameSince(point, things);
  return at === undefined || at === point.hash ? answerPlace(point, key) : { at, key };
}

const asOfRows = question<object[]>("as-of-rows");

/** `snapshot` must be open. */
export function asOf(snapshot: Snapshot, point: BlockPoint): AsOf {
  const { cache } = snapshot;
  const prepared = <T extends object>(text: string, parameters: string[]) => readShared<T>(snapshot, text, parameters);
  return {
    fold: snapshot.fold,
    point,
    cache,
    revision: snapshot.state.revision,
    rows: (text, parameters) => readRows(snapshot, text, parameters),
    unbatched: (text, parameters) => readUnbatched(snapshot, text, parameters),
    prepared,
    cached<T extends object>(text: string, parameters: string[]) {
      // texts are long, and few
      const key = `${hash("sha1", text, "base64")} ${parameters.join("|")}`;
      return cache.of(asOfRows, answerPlace(point, key), () => prepared<T>(text, parameters)) as Promise<T[]>;
    },
    cachedSince<T extends object>(text: string, parameters: (block: string) => string[], things: readonly string[]) {
      const key = `since ${hash("sha1", text, "base64")} ${parameters("").join("|")}`;
      const read = () => prepared<T>(text, parameters(String(point.block)));
      return cache.of(asOfRows, placeOfThings(point, key, things), read) as Promise<T[]>;
    },
  };
}
