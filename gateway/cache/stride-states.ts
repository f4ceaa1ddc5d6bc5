// A state that every block adds to, and that takes long to make from the first block on: it is stored at some final blocks, and
// carried on from there.
import type { BlocksAfter } from "../../core/blocks-after.ts";
import { FINAL, type ReaderCache } from "./answer-cache.ts";
import type { Question } from "./question.ts";

/** Stored states are sought this many strides back; further back it is as cheap to begin again. */
const MOST_STRIDES = 64;

export interface StrideStates<T> {
  question: Question<T>;
  /** Final blocks from one stored state to the next. */
  stride: number;
  /** Before the first block. */
  empty: T;
  /** `from` with what happened in `after < block <= upTo`. */
  carryOn(from: T, range: BlocksAfter): Promise<T>;
}

/** The state at the end of `block`; states up to `finalized` are stored. */
export async function stateAt<T>(
  cache: ReaderCache,
  { question, stride, empty, carryOn }: StrideStates<T>,
  { block, finalized }: { block: number; finalized: number },
): Promise<T> {
  const placeOf = (strides: number) => ({ at: FINAL, key: String(strides) });
  const lastOf = (strides: number) => strides * stride - 1;
  const storedAfter = async (strides: number): Promise<T> => {
    if (strides <= 0) return empty;
    return cache.of(question, placeOf(strides), () => {
      for (let before = strides - 1; before > Math.max(0, strides - MOST_STRIDES); before--) {
        const stored = cache.get(question, placeOf(before));
        if (stored) return carryOn(stored, { after: lastOf(before), upTo: lastOf(strides) });
      }
      return carryOn(empty, { after: -1, upTo: lastOf(strides) });
    });
  };
  const strides = Math.floor((Math.min(block, finalized) + 1) / stride);
  return carryOn(await storedAfter(strides), { after: lastOf(strides), upTo: block });
}
