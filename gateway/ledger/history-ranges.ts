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

/** SQL of a relation `w (first, last)` with the ranges as far as they are folded. */
export function historyRangesText(ranges: readonly HistoryRange[], folded: number): string {
  const rows = ranges.map(({ first, last }) => `(${Math.min(first, folded)}, ${Math.min(last, folded)})`);
  return `(values ${rows.join(", ")}) w(first, last)`;
}

/** The same of {@link rangeParameters}: $1 and $2. What is folded is $3. */
export const RANGES = "unnest(string_to_array($1, ',')::int4[], string_to_array($2, ',')::int4[]) w(first, last)";

export const rangeParameters = (ranges: readonly HistoryRange[], folded: number): string[] => [
  ranges.map(({ first }) => Math.min(first, folded)).join(","),
  ranges.map(({ last }) => Math.min(last, folded)).join(","),
  String(folded),
];

/** For the SELECT over them: what holds over several ranges is found in each. */
export const distinctOver = (ranges: readonly HistoryRange[]): string => (ranges.length > 1 ? "distinct" : "");

/** Histories that are kept begin at multiples of so many blocks: the next blocks' windows begin a little later. */
const STRIDE = 64;

/** What is asked of the fold's tables: which ranges of the blocks up to `folded`. */
export interface FoldedHistory {
  snapshot: Snapshot;
  point: BlockPoint;
  ranges: readonly HistoryRange[];
}

/** One range that reaches to the watermark or beyond it begins a little earlier, and ends there; undefined of others. */
function widened({ point: { block, watermark }, ranges }: FoldedHistory): HistoryRange | undefined {
  const [range, ...others] = ranges;
  if (!range || others.length > 0 || block < watermark || range.last < watermark) return undefined;
  return { first: range.first >= watermark ? watermark : Math.floor(range.first / STRIDE) * STRIDE, last: watermark };
}

/**
 * What `read` gives of the ranges. For one range that reaches to the watermark or beyond it, as those of the newest blocks
 * do, it may begin a little earlier, and is stored for all blocks with that watermark: the fold's tables say the same for
 * each.
 */
export function cachedHistory<T>(
  question: Question<T>,
  history: FoldedHistory,
  read: (ranges: readonly HistoryRange[]) => Promise<T>,
): Promise<T> {
  const wider = widened(history);
  if (!wider) return read(history.ranges);
  const place = { at: FINAL, key: `${wider.first} ${wider.last}` };
  return history.snapshot.cache.of(question, place, () => read([wider]));
}

/**
 * What `read` gives of the ranges. For one range that reaches to the watermark or beyond it, as those of the newest blocks
 * do, it may begin a little earlier, and is kept for all blocks with that watermark: the fold's tables say the same for each.
 */
export function foldedHistory<T>(
  kept: KeptAnswers<T>,
  history: FoldedHistory,
  read: (ranges: readonly HistoryRange[]) => Promise<T>,
): Promise<T> {
  const wider = widened(history);
  if (!wider) return read(history.ranges);
  // what is final needs no hash
  const { snapshot, point } = history;
  const place = { snapshot, point: { ...point, block: wider.last, hash: "final" }, about: String(wider.first) };
  return kept.of(place, () => read([wider]));
}
