// Prices as people write them: whole token1 per whole token0, from the square roots and ticks that pools work with.
import { getSqrtRatioAtTick, MAX_TICK, MIN_TICK } from "../../core/math/tick-math.ts";
import { toExactDecimal } from "../numbers.ts";

/** Digits behind the point that a price is rounded down to. */
const PRICE_DIGITS = 36;

export interface Ratio {
  numerator: bigint;
  denominator: bigint;
}

/** Decimals of both tokens of a market. */
export type Decimals = readonly [number | undefined, number | undefined];

/**
 * `ratio`: raw token1 per raw token0. Whole token1 per whole token0, rounded down to {@link PRICE_DIGITS} digits; undefined without
 * decimals of both, or where the denominator is zero.
 */
export function priceText({ numerator, denominator }: Ratio, [decimals0, decimals1]: Decimals): string | undefined {
  if (decimals0 === undefined || decimals1 === undefined || denominator === 0n) return undefined;
  const scaled = (numerator * 10n ** BigInt(PRICE_DIGITS + decimals0)) / (denominator * 10n ** BigInt(decimals1));
  return toExactDecimal(scaled, PRICE_DIGITS);
}

export const inverse = ({ numerator, denominator }: Ratio): Ratio => ({
  numerator: denominator,
  denominator: numerator,
});

/** Of a Q64.96 square root. */
export const ratioOfRoot = (sqrtPriceX96: bigint): Ratio => ({
  numerator: sqrtPriceX96 ** 2n,
  denominator: 2n ** 192n,
});

/** The price at a tick; `0` and `∞` at the ends of what a pool can have. */
export function tickPrice(tick: number, decimals: Decimals): string | undefined {
  // the last tick of a spacing, up to 200, is as far as a range reaches
  if (tick <= MIN_TICK + 200) return "0";
  if (tick >= MAX_TICK - 200) return "∞";
  return priceText(ratioOfRoot(getSqrtRatioAtTick(tick)), decimals);
}
