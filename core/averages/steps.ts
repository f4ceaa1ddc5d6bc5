// A value over a range of blocks.

/** What a value is at the end of block `from` and of the blocks after it, up to the next step. */
export interface Step<T> {
  from: number;
  value: T;
}

/** Ascending; the first begins with the range, the last holds to its end. */
export type Steps<T> = readonly Step<T>[];
