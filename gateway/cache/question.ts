// A kind of answer that the cache can hold: one constant, declared beside the code that works it out.
import { bytesOf } from "./bytes-of.ts";

export interface Question<T> {
  /** The label of its metrics; no two questions share one. */
  readonly name: string;
  /** Bytes. What an answer shares with others need not count. */
  weigh(answer: T): number;
  /** Whether the answer may be stored: false for one that will be another in a moment. */
  isLasting(answer: T): boolean;
  /** An answer that has not been used for this long is dropped. */
  readonly unusedMs: number;
}

const UNUSED_MS = 30_000;

export function question<T>(name: string, rules: Partial<Omit<Question<T>, "name">> = {}): Question<T> {
  return { name, weigh: bytesOf, isLasting: () => true, unusedMs: UNUSED_MS, ...rules };
}
