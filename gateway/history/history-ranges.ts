// Ranges of blocks whose histories are read together, in one statement however many there are.
import type { BlocksAfter } from "../../core/blocks-after.ts";
import { FINAL } from "../cache/answer-cache.ts";
import type { Question } from "../cache/question.ts";
import type { AsOf } from "./as-of.ts";
import type { BlockPoint } from "./point.ts";
import { readRecent } from "./recent-versions.ts";

/** What held at the end of `first`, and what came after it up to the end of `last`. */
export interface HistoryRange {
  first: number;
  last: number;
}

/** SQL of a relation `w (first, last)` with the ranges of {@link rangeParameters}: $1 and $2. The last block of all ranges is $3. */
export const RANGES = "unnest(string_to_array($1, ',')::int4[], string_to_array($2, ',')::int4[]) w(first, last)";

export const rangeParameters = (ranges: readonly HistoryRange[]): string[] => [
  ranges.map(({ first }) => first).join(","),
  ranges.map(({ last }) => last).join(","),
  String(ranges.at(-1)?.last ?? -1),
];

/** For the SELECT over them: a row that holds over several ranges is found in each. */
export const distinctOver = (ranges: readonly HistoryRange[]): string => (ranges.length > 1 ? "distinct" : "");

/** Cached histories begin at multiples of this many blocks, so that they also serve the next blocks' windows, which begin a little later. */
const STRIDE = 64;

export interface HistoryTexts {
  /** With {@link rangeParameters}: what held at the end of `first`, and what came after it up to `last`, in order of blocks. */
  over(ranges: readonly HistoryRange[]): string;
  /** The same columns with `block` among them: see `recentVersions`. */
  recent: string;
}

/**
 * Rows of histories over `ranges`, which ascend, in order of blocks for each entity. One range that reaches to the newest
 * blocks may begin a little earlier: its final part is cached for all of them, and what came after it for each.
 */
export async function cachedHistory<Row extends { block: number }>(
  question: Question<readonly Row[]>,
  { at, ranges }: { at: AsOf; ranges: readonly HistoryRange[] },
  { over, recent }: HistoryTexts,
): Promise<readonly Row[]> {
  const read = (wanted: readonly HistoryRange[]) => at.prepared<Row>(over(wanted), rangeParameters(wanted));
  const final = finalPart(at.point, ranges);
  if (!final) return read(ranges);
  const after = await newestPart(question, { at, text: recent }, { after: final.last, upTo: ranges[0]?.last ?? -1 });
  if (!after) return read(ranges);
  const place = { at: FINAL, key: `${final.first} ${final.last}` };
  const before = await at.cache.of(question, place, () => read([final]));
  return [...before, ...after];
}

/** Of one range that reaches to the last final block or beyond it. */
function finalPart({ finalized }: BlockPoint, [range, ...others]: readonly HistoryRange[]): HistoryRange | undefined {
  if (!range || others.length > 0 || range.last < finalized) return undefined;
  const first = range.first >= finalized ? finalized : Math.floor(range.first / STRIDE) * STRIDE;
  return { first, last: finalized };
}

/** Undefined when some of its blocks are final by now: see {@link readRecent}. */
async function newestPart<Row extends { block: number }>(
  question: Question<readonly Row[]>,
  { at, text }: { at: AsOf; text: string },
  range: BlocksAfter,
): Promise<readonly Row[] | undefined> {
  if (range.upTo <= range.after) return [];
  const place = { at: at.point.hash, key: `${range.after} ${range.upTo}` };
  const stored = at.cache.get(question, place);
  if (stored) return stored;
  const rows = await readRecent<Row>(at, text, range);
  if (rows) at.cache.set(question, place, rows);
  return rows;
}
