// From sums to amounts: the one place where an average is rounded.
import { FRACTION_BITS } from "./cumulative.ts";

/** An average that lies so little below a whole number is that number: fixed-point sums err by far less (docs/adr/0025). */
const GUARD_BITS = 128n;

/** floor(`sum` / `total`), where `sum` has {@link FRACTION_BITS} behind the point and `total` none; `total` is above zero. */
export const averageRoundingDown = (sum: bigint, total: bigint): bigint => {
  const scaled = sum + (total << (FRACTION_BITS - GUARD_BITS));
  // a sum that errs below zero is nothing
  return scaled <= 0n ? 0n : scaled / (total << FRACTION_BITS);
};
