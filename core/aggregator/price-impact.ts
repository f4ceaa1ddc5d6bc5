// How much less a swap pays than its pools' price before it, fees aside.
import type { Fraction } from "../lookthrough/fraction.ts";
import { times } from "../lookthrough/fraction.ts";

const PLACES = 12;
const SCALE = 10n ** BigInt(PLACES);

interface ImpactTerms {
  /** Raw units given in, and out. */
  amountIn: bigint;
  amountOut: bigint;
  /** Output raw units for one input raw unit before the swap. */
  mid: Fraction;
  /** Π(1 − fee) over the pools of the path that `mid` belongs to. */
  remainingAfterFees: Fraction;
}

/**
 * amountOut ÷ (amountIn × mid × Π(1 − fee)) − 1 as a decimal fraction of at most 12 places, rounded towards zero: negative
 * when adverse, e.g. `-0.0123`.
 */
export function priceImpactRoundingToZero({ amountIn, amountOut, mid, remainingAfterFees }: ImpactTerms): string {
  const { numerator, denominator } = times(mid, remainingAfterFees);
  const ideal = amountIn * numerator;
  if (ideal <= 0n) return "0";
  const scaled = ((amountOut * denominator - ideal) * SCALE) / ideal;
  const digits = String(scaled < 0n ? -scaled : scaled).padStart(PLACES + 1, "0");
  const text = `${digits.slice(0, -PLACES)}.${digits.slice(-PLACES)}`.replace(/\.?0+$/, "");
  return scaled < 0n ? `-${text}` : text;
}
