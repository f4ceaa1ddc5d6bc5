// Multiply, then divide, with a 512-bit product in between.
// v3-core contracts/libraries/FullMath.sol
import { MAX_UINT256 } from "./fixed-point.ts";
import { MathError } from "./math-error.ts";

/**
 * floor(a × b ÷ denominator) for unsigned a, b, denominator.
 * Throws {@link MulDivError} where `FullMath.mulDiv` reverts: denominator 0 or a result above 2^256 − 1.
 */
export function mulDiv(a: bigint, b: bigint, denominator: bigint): bigint {
  if (denominator === 0n) throw new MulDivError("division by zero");
  const result = (a * b) / denominator;
  if (result > MAX_UINT256) throw new MulDivError("result above 2^256 - 1");
  return result;
}

/** ceil(a × b ÷ denominator); see `FullMath.mulDivRoundingUp`. Throws {@link MulDivError} like {@link mulDiv}. */
export function mulDivRoundingUp(a: bigint, b: bigint, denominator: bigint): bigint {
  if (denominator === 0n) throw new MulDivError("division by zero");
  const product = a * b;
  const floor = product / denominator;
  const result = floor * denominator === product ? floor : floor + 1n;
  if (result > MAX_UINT256) throw new MulDivError("result above 2^256 - 1");
  return result;
}

/** ceil(x ÷ y) without overflow checks; y must not be 0. v3-core contracts/libraries/UnsafeMath.sol `divRoundingUp` */
export function divRoundingUp(x: bigint, y: bigint): bigint {
  const floor = x / y;
  return floor * y === x ? floor : floor + 1n;
}

/** `FullMath` reverts without a reason. */
export class MulDivError extends MathError {
  constructor(why: string) {
    super("", `mulDiv: ${why}.`);
  }
}
