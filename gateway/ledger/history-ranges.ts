// Ranges of blocks whose histories are read together, in one statement however many there are.
import type { Question } from "../cache/question.ts";
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

/** One range that reaches to the block begins a little earlier, and ends there; undefined of others. */
function widened({ point: { block }, ranges }: FoldedHistory): HistoryRange | undefined {
  const [range, ...others] = ranges;
  if (!range || others.length > 0 || range.last < block) return undefined;
  return { first: range.first >= block ? block : Math.floor(range.first / STRIDE) * STRIDE, last: block };
}

/**
 * What `read` gives of the ranges. One range that reaches to the block may begin a little earlier, and is cached for all
 * questions about that block.
 */
export function cachedHistory<T>(
  question: Question<T>,
  history: FoldedHistory,
  read: (ranges: readonly HistoryRange[]) => Promise<T>,
): Promise<T> {
  const wider = widened(history);
  if (!wider) return read(history.ranges);
  const place = { at: history.point.hash, key: `${wider.first} ${wider.last}` };
  return history.snapshot.cache.of(question, place, () => read([wider]));
}
