// Ranges of blocks whose histories are read together, in one statement however many there are.
import { FINAL } from "../cache/answer-cache.ts";
import type { Question } from "../cache/question.ts";
import type { KeptAnswers } from "./kept-answers.ts";
import type { BlockPoint } from "./point.ts";
import type { Snapshot } from "./snapshot.ts";

/** What held at the end of `first`, and what came after it up to the end of `last`. */
export interface HistoryRange {
  first: number;
  last: number;
}

/** SQL of a relation `w (first, last)`, with {@link rangeParameters}: $1 and $2. The last block of all is $3. */
export const RANGES = "unnest(string_to_array($1, ',')::int4[], string_to_array($2, ',')::int4[]) w(first, last)";

export const rangeParameters = (ranges: readonly HistoryRange[]): string[] => [
  ranges.map(({ first }) => first).join(","),
  ranges.map(({ last }) => last).join(","),
  String(Math.max(-1, ...ranges.map(({ last }) => last))),
];

/** For the SELECT over them: what holds over several ranges is found in each. */
export const distinctOver = (ranges: readonly HistoryRange[]): string => (ranges.length > 1 ? "distinct" : "");

/** Final histories that are stored begin at multiples of so many blocks: the next blocks' windows begin a little later. */
const STRIDE = 64;

export interface RangesAt {
  snapshot: Snapshot;
  point: BlockPoint;
  /** Ascending and apart. */
  ranges: readonly HistoryRange[];
}

/**
 * Rows that `read` gives of the ranges, which ascend. Of one range that ends at the last final block or later, as those of
 * the newest blocks do, the final part may begin a little earlier, and is stored for all blocks that follow it; behind its
 * rows come those of the rest, with what held at the last final block among them once more.
 */
export async function cachedHistory<Row>(
  question: Question<readonly Row[]>,
  { snapshot, point: { finalized }, ranges }: RangesAt,
  read: (ranges: readonly HistoryRange[]) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  const [range, ...others] = ranges;
  if (!range || others.length > 0 || range.first >= finalized || range.last < finalized) return read(ranges);
  const final = { first: Math.floor(range.first / STRIDE) * STRIDE, last: finalized };
  const place = { at: FINAL, key: `${final.first} ${final.last}` };
  const stored = await snapshot.cache.of(question, place, () => read([final]));
  return range.last === finalized ? stored : [...stored, ...(await read([{ first: finalized, last: range.last }]))];
}

/** What `read` gives of the ranges, stored for the block. */
export function foldedHistory<T>(
  kept: KeptAnswers<T>,
  { snapshot, point, ranges }: RangesAt,
  read: (ranges: readonly HistoryRange[]) => Promise<T>,
): Promise<T> {
  const about = ranges.map(({ first, last }) => `${first} ${last}`).join();
  return kept.of({ snapshot, point, about }, () => read(ranges));
}
