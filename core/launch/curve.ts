// The price of a launch curve and how much it raises, from its own events. Square roots of prices are scaled by 1e18, so
// prices by 1e36. PandaPool.sol, PandaMath.sol
import type { Fraction } from "../lookthrough/fraction.ts";
import { divRoundingUp } from "../math/full-math.ts";

/** What `sqrtPrice × sqrtPrice` is scaled by; 10^{@link PRICE_DECIMALS}. */
const PRICE_DECIMALS = 36;
const PRICE_SCALE: bigint = 10n ** BigInt(PRICE_DECIMALS);

/** Raw base units that one raw unit of the token costs at the last `Sync`: `getCurrentPrice()` ÷ {@link PRICE_SCALE}. */
export const curvePrice = (sqrtPrice: bigint): Fraction => ({
  numerator: sqrtPrice * sqrtPrice,
  denominator: PRICE_SCALE,
});

/** Raw base units that selling the whole range brings in. PandaMath.sol `getTotalRaise` */
export const totalRaiseRoundingUp = (range: { tokensInPool: bigint; sqrtPa: bigint; sqrtPb: bigint }): bigint =>
  divRoundingUp(range.tokensInPool * range.sqrtPa * range.sqrtPb, PRICE_SCALE);

/**
 * The part of `totalRaise` that is raised, from 0 to 1. A curve that has graduated has raised all of it; one that has logged no
 * range yet, whose `totalRaise` is 0, has raised nothing.
 */
export function raisedPart(curve: { raised: bigint; totalRaise: bigint; isGraduated: boolean }): Fraction {
  const { raised, totalRaise, isGraduated } = curve;
  if (isGraduated) return { numerator: 1n, denominator: 1n };
  if (raised === 0n) return { numerator: 0n, denominator: 1n };
  if (raised >= totalRaise) return { numerator: 1n, denominator: 1n };
  return { numerator: raised, denominator: totalRaise };
}
