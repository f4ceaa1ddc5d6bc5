// Hours and days by the UTC clock. Pure.
import { InvalidInputError } from "../errors.ts";

const INTERVAL_SECONDS = { hour: 3_600, day: 86_400 } as const;
export type Interval = keyof typeof INTERVAL_SECONDS;

/** Steps of one series. */
const MOST_BUCKETS = 1_000;
/** Steps of one that asks for what has to be looked up at the end of each. */
export const MOST_STATE_BUCKETS = 100;

export interface BucketRange {
  /** Seconds of one step. */
  width: number;
  /** Of the first step and of the last one. */
  first: number;
  last: number;
}

/** Every step that the times from `from` to `to` touch. @throws InvalidInputError naming `from` */
export function bucketsBetween(interval: Interval, from: number, to: number): BucketRange {
  const width = INTERVAL_SECONDS[interval];
  const startOf = (time: number) => Math.floor(time / width) * width;
  const range = { width, first: startOf(from), last: startOf(to) };
  if (from > to) throw new InvalidInputError("from", `${from} lies after the end of the series, ${to}`);
  const steps = (range.last - range.first) / width + 1;
  if (steps > MOST_BUCKETS)
    throw new InvalidInputError("from", `the series would have ${steps} steps; at most ${MOST_BUCKETS}`);
  return range;
}

export const startsOf = ({ width, first, last }: BucketRange): number[] =>
  Array.from({ length: (last - first) / width + 1 }, (_, i) => first + i * width);
