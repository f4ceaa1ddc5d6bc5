// Ranges of blocks whose histories are read together, in one statement however many there are.

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

/** For the SELECT over them: what holds over several ranges is found in each. */
export const distinctOver = (ranges: readonly HistoryRange[]): string => (ranges.length > 1 ? "distinct" : "");
