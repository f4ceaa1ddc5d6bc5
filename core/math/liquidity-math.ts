// Signed changes of liquidity.
// v3-core contracts/libraries/LiquidityMath.sol
import { MAX_UINT128 } from "./fixed-point.ts";
import { MathError } from "./math-error.ts";

/** x + y for a uint128 x and an int128 y. Throws {@link LiquidityBoundsError} below 0 or above 2^128 − 1. */
export function addDelta(x: bigint, y: bigint): bigint {
  const z = x + y;
  if (z < 0n) throw new LiquidityBoundsError("LS", x, y);
  if (z > MAX_UINT128) throw new LiquidityBoundsError("LA", x, y);
  return z;
}

/** Reverts with `LS` (less than nothing) or `LA` (more than a uint128 holds). */
class LiquidityBoundsError extends MathError {
  constructor(reason: "LS" | "LA", x: bigint, y: bigint) {
    super(reason, `Liquidity ${x} cannot change by ${y}.`);
  }
}
