// Liquidity that amounts can buy, and amounts behind liquidity; everything rounds down.
// v3-periphery contracts/libraries/LiquidityAmounts.sol
// biome-ignore-all lint/complexity/useMaxParams: signatures are those of the Solidity library
import { MAX_UINT128, Q96 } from "./fixed-point.ts";
import { mulDiv } from "./full-math.ts";
import { MathError } from "./math-error.ts";
import { getAmount0DeltaRoundingDown, getAmount1DeltaRoundingDown } from "./sqrt-price-math.ts";

/** Liquidity that `amount0` of token0 buys between two square-root prices. Throws {@link LiquidityAmountError}. */
export function getLiquidityForAmount0(sqrtRatioAX96: bigint, sqrtRatioBX96: bigint, amount0: bigint): bigint {
  const [lower, upper] = ordered(sqrtRatioAX96, sqrtRatioBX96);
  return toUint128(mulDiv(amount0, mulDiv(lower, upper, Q96), upper - lower));
}

/** Liquidity that `amount1` of token1 buys between two square-root prices. Throws {@link LiquidityAmountError}. */
export function getLiquidityForAmount1(sqrtRatioAX96: bigint, sqrtRatioBX96: bigint, amount1: bigint): bigint {
  const [lower, upper] = ordered(sqrtRatioAX96, sqrtRatioBX96);
  return toUint128(mulDiv(amount1, Q96, upper - lower));
}

/** The most liquidity that both amounts together buy at the current price. Throws {@link LiquidityAmountError}. */
export function getLiquidityForAmounts(
  sqrtRatioX96: bigint,
  sqrtRatioAX96: bigint,
  sqrtRatioBX96: bigint,
  amount0: bigint,
  amount1: bigint,
): bigint {
  const [lower, upper] = ordered(sqrtRatioAX96, sqrtRatioBX96);
  if (sqrtRatioX96 <= lower) return getLiquidityForAmount0(lower, upper, amount0);
  if (sqrtRatioX96 >= upper) return getLiquidityForAmount1(lower, upper, amount1);
  const liquidity0 = getLiquidityForAmount0(sqrtRatioX96, upper, amount0);
  const liquidity1 = getLiquidityForAmount1(lower, sqrtRatioX96, amount1);
  if (liquidity0 < liquidity1) return liquidity0;
  return liquidity1;
}

/** Token0 behind `liquidity` between two square-root prices, rounded down. */
export function getAmount0ForLiquidity(sqrtRatioAX96: bigint, sqrtRatioBX96: bigint, liquidity: bigint): bigint {
  return getAmount0DeltaRoundingDown(sqrtRatioAX96, sqrtRatioBX96, liquidity);
}

/** Token1 behind `liquidity` between two square-root prices, rounded down. */
export function getAmount1ForLiquidity(sqrtRatioAX96: bigint, sqrtRatioBX96: bigint, liquidity: bigint): bigint {
  return getAmount1DeltaRoundingDown(sqrtRatioAX96, sqrtRatioBX96, liquidity);
}

/**
 * Both tokens behind `liquidity` at the current price, rounded down.
 * The range is chosen by price; the pool itself chooses by tick, which differs at a tick's own price after the price
 * came down to it, yet gives the same amounts there.
 */
export function getAmountsForLiquidity(
  sqrtRatioX96: bigint,
  sqrtRatioAX96: bigint,
  sqrtRatioBX96: bigint,
  liquidity: bigint,
): { amount0: bigint; amount1: bigint } {
  const [lower, upper] = ordered(sqrtRatioAX96, sqrtRatioBX96);
  const from = sqrtRatioX96 < lower ? lower : sqrtRatioX96 > upper ? upper : sqrtRatioX96;
  return {
    amount0: getAmount0ForLiquidity(from, upper, liquidity),
    amount1: getAmount1ForLiquidity(lower, from, liquidity),
  };
}

function ordered(a: bigint, b: bigint): [lower: bigint, upper: bigint] {
  return a <= b ? [a, b] : [b, a];
}

function toUint128(liquidity: bigint): bigint {
  if (liquidity > MAX_UINT128) throw new LiquidityAmountError(liquidity);
  return liquidity;
}

/** `LiquidityAmounts.toUint128` reverts without a reason. */
export class LiquidityAmountError extends MathError {
  constructor(liquidity: bigint) {
    super("", `Liquidity ${liquidity} does not fit into 128 bits.`);
  }
}
