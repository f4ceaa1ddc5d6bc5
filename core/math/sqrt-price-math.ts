// Amounts between two prices, and the price after an amount. Every name says which way it rounds; the pool is never
// the loser: what it takes in is rounded up, what it pays out is rounded down.
// v3-core contracts/libraries/SqrtPriceMath.sol
// biome-ignore-all lint/complexity/useMaxParams: signatures are those of the Solidity library
import { MAX_UINT160, MAX_UINT256, Q96, RESOLUTION } from "./fixed-point.ts";
import { divRoundingUp, mulDiv, mulDivRoundingUp } from "./full-math.ts";
import { MathError } from "./math-error.ts";

/**
 * The square-root price (Q64.96) after adding (`add`) or removing `amount` of token0: L√P ÷ (L ± amount√P).
 * Rounds up: going up it moves far enough, going down not too far. Throws {@link PriceMoveError} when the pool has less.
 */
function getNextSqrtPriceFromAmount0RoundingUp(
  sqrtPX96: bigint,
  liquidity: bigint,
  amount: bigint,
  add: boolean,
): bigint {
  // the formula does not give back the same price for an amount of 0
  if (amount === 0n) return sqrtPX96;
  const numerator1 = liquidity << RESOLUTION;
  const product = amount * sqrtPX96;
  if (add) {
    // Solidity leaves the exact formula where the product or the denominator does not fit into 256 bits
    if (product <= MAX_UINT256 && numerator1 + product <= MAX_UINT256) {
      return mulDivRoundingUp(numerator1, sqrtPX96, numerator1 + product);
    }
    const denominator = numerator1 / sqrtPX96 + amount;
    if (denominator > MAX_UINT256) throw new PriceMoveError("token0 in above 2^256 - 1");
    return divRoundingUp(numerator1, denominator);
  }
  if (product > MAX_UINT256 || numerator1 <= product) throw new PriceMoveError("token0 out exceeds the pool's");
  const next = mulDivRoundingUp(numerator1, sqrtPX96, numerator1 - product);
  if (next > MAX_UINT160) throw new PriceMoveError("price above 2^160 - 1");
  return next;
}

/**
 * The square-root price (Q64.96) after adding (`add`) or removing `amount` of token1: √P ± amount ÷ L.
 * Rounds down: going down it moves far enough, going up not too far. Throws {@link PriceMoveError} when the pool has less.
 */
function getNextSqrtPriceFromAmount1RoundingDown(
  sqrtPX96: bigint,
  liquidity: bigint,
  amount: bigint,
  add: boolean,
): bigint {
  if (add) {
    const next = sqrtPX96 + mulDiv(amount, Q96, liquidity);
    if (next > MAX_UINT160) throw new PriceMoveError("price above 2^160 - 1");
    return next;
  }
  const quotient = mulDivRoundingUp(amount, Q96, liquidity);
  if (sqrtPX96 <= quotient) throw new PriceMoveError("token1 out exceeds the pool's");
  return sqrtPX96 - quotient;
}

/** The price after `amountIn` came in, rounded so that it does not pass the target. Throws {@link PriceMoveError}. */
export function getNextSqrtPriceFromInput(
  sqrtPX96: bigint,
  liquidity: bigint,
  amountIn: bigint,
  zeroForOne: boolean,
): bigint {
  requirePrice(sqrtPX96, liquidity);
  return zeroForOne
    ? getNextSqrtPriceFromAmount0RoundingUp(sqrtPX96, liquidity, amountIn, true)
    : getNextSqrtPriceFromAmount1RoundingDown(sqrtPX96, liquidity, amountIn, true);
}

/** The price after `amountOut` went out, rounded so that it is certainly reached. Throws {@link PriceMoveError}. */
export function getNextSqrtPriceFromOutput(
  sqrtPX96: bigint,
  liquidity: bigint,
  amountOut: bigint,
  zeroForOne: boolean,
): bigint {
  requirePrice(sqrtPX96, liquidity);
  return zeroForOne
    ? getNextSqrtPriceFromAmount1RoundingDown(sqrtPX96, liquidity, amountOut, false)
    : getNextSqrtPriceFromAmount0RoundingUp(sqrtPX96, liquidity, amountOut, false);
}

/**
 * Token0 between two square-root prices (in either order): ceil(ceil(L·2^96·(b − a) ÷ b) ÷ a).
 * `getAmount0Delta(…, roundUp = true)`. Throws {@link PriceMoveError} when the lower price is 0.
 */
export function getAmount0DeltaRoundingUp(sqrtRatioAX96: bigint, sqrtRatioBX96: bigint, liquidity: bigint): bigint {
  const isOrdered = sqrtRatioAX96 <= sqrtRatioBX96;
  const lower = isOrdered ? sqrtRatioAX96 : sqrtRatioBX96;
  const upper = isOrdered ? sqrtRatioBX96 : sqrtRatioAX96;
  if (lower <= 0n) throw new PriceMoveError("price 0");
  return divRoundingUp(mulDivRoundingUp(liquidity << RESOLUTION, upper - lower, upper), lower);
}

/** Like {@link getAmount0DeltaRoundingUp}, rounded down twice: `getAmount0Delta(…, roundUp = false)`. */
export function getAmount0DeltaRoundingDown(sqrtRatioAX96: bigint, sqrtRatioBX96: bigint, liquidity: bigint): bigint {
  const isOrdered = sqrtRatioAX96 <= sqrtRatioBX96;
  const lower = isOrdered ? sqrtRatioAX96 : sqrtRatioBX96;
  const upper = isOrdered ? sqrtRatioBX96 : sqrtRatioAX96;
  if (lower <= 0n) throw new PriceMoveError("price 0");
  return mulDiv(liquidity << RESOLUTION, upper - lower, upper) / lower;
}

/** Token1 between two square-root prices (in either order): ceil(L·|b − a| ÷ 2^96). `getAmount1Delta(…, true)`. */
export function getAmount1DeltaRoundingUp(sqrtRatioAX96: bigint, sqrtRatioBX96: bigint, liquidity: bigint): bigint {
  const gap = sqrtRatioAX96 <= sqrtRatioBX96 ? sqrtRatioBX96 - sqrtRatioAX96 : sqrtRatioAX96 - sqrtRatioBX96;
  return mulDivRoundingUp(liquidity, gap, Q96);
}

/** Like {@link getAmount1DeltaRoundingUp}, rounded down: `getAmount1Delta(…, roundUp = false)`. */
export function getAmount1DeltaRoundingDown(sqrtRatioAX96: bigint, sqrtRatioBX96: bigint, liquidity: bigint): bigint {
  const gap = sqrtRatioAX96 <= sqrtRatioBX96 ? sqrtRatioBX96 - sqrtRatioAX96 : sqrtRatioAX96 - sqrtRatioBX96;
  return mulDiv(liquidity, gap, Q96);
}

function requirePrice(sqrtPX96: bigint, liquidity: bigint): void {
  if (sqrtPX96 <= 0n) throw new PriceMoveError("price 0");
  if (liquidity <= 0n) throw new PriceMoveError("liquidity 0");
}

/** `SqrtPriceMath` reverts without a reason. */
export class PriceMoveError extends MathError {
  constructor(why: string) {
    super("", `The price cannot move: ${why}.`);
  }
}
