// How much blocks weigh.

/** Bits behind the point of weights and of what is summed up with them: averages are exact fractions until they are made amounts. */
export const FRACTION_BITS = 512n;

/** What all blocks before one weigh together, from an arbitrary beginning: blocks [a, b) weigh `at(b) - at(a)`. */
export interface Cumulative {
  /** For blocks from the first of the range to the one after its last. */
  at(block: number): bigint;
}
