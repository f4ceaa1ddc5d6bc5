// How much blocks weigh, and from weighed sums to amounts: the one place where an average is rounded.
import type { Steps } from "./steps.ts";

/** Bits behind the point of weights and of what is summed up with them: averages are exact fractions until they become amounts. */
export const FRACTION_BITS = 512n;

/** What all blocks before one weigh together, from an arbitrary beginning: blocks [a, b) weigh `at(b) - at(a)`. */
export interface Cumulative {
  /** For blocks from the first of the range to the one after its last. */
  at(block: number): bigint;
}

/** Each block weighs 1. */
export const blockClock: Cumulative = { at: BigInt };

/** Each block weighs its value in `density` times what it weighs on `clock`, from the first step on; earlier blocks weigh nothing. */
export function weighed(density: Steps<bigint>, clock: Cumulative): Cumulative {
  const froms = Float64Array.from(density, ({ from }) => from);
  const clocks = density.map(({ from }) => clock.at(from));
  const sums: bigint[] = [];
  let sum = 0n;
  for (let i = 0; i < density.length; i++) {
    if (i > 0) sum += (density[i - 1]?.value ?? 0n) * ((clocks[i] ?? 0n) - (clocks[i - 1] ?? 0n));
    sums.push(sum);
  }
  const [only] = density;
  if (only && density.length === 1 && only.value === 0n) return { at: () => 0n };
  return {
    at(block) {
      const i = placeOf(froms, block);
      if (i < 0) return 0n;
      const { value } = density[i] as { value: bigint };
      const passed = value === 0n ? 0n : value * (clock.at(block) - (clocks[i] as bigint));
      return (sums[i] as bigint) + passed;
    },
  };
}

function placeOf(froms: Float64Array, block: number): number {
  let [low, high] = [0, froms.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((froms[middle] as number) <= block) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** An average that lies so little below a whole number is that number: fixed-point sums err by far less (docs/adr/0025). */
const GUARD_BITS = 128n;

/** floor(`sum` / `total`), where `sum` has {@link FRACTION_BITS} behind the point and `total` none; `total` is above zero. */
export const averageRoundingDown = (sum: bigint, total: bigint): bigint => {
  const scaled = sum + (total << (FRACTION_BITS - GUARD_BITS));
  // a sum that errs below zero is nothing
  return scaled <= 0n ? 0n : scaled / (total << FRACTION_BITS);
};
