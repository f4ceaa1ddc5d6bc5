// Amounts behind liquidity, rounded down.
// v3-periphery contracts/libraries/LiquidityAmounts.sol
// biome-ignore-all lint/complexity/useMaxParams: signatures are those of the Solidity library
import { getAmount0DeltaRoundingDown, getAmount1DeltaRoundingDown } from "./sqrt-price-math.ts";

/** Raw units of a pool's two tokens. */
export interface Amounts {
  amount0: bigint;
  amount1: bigint;
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
): Amounts {
  const [lower, upper] = ordered(sqrtRatioAX96, sqrtRatioBX96);
  const from = sqrtRatioX96 < lower ? lower : sqrtRatioX96 > upper ? upper : sqrtRatioX96;
  return {
    amount0: getAmount0DeltaRoundingDown(from, upper, liquidity),
    amount1: getAmount1DeltaRoundingDown(lower, from, liquidity),
  };
}

function ordered(a: bigint, b: bigint): [lower: bigint, upper: bigint] {
  return a <= b ? [a, b] : [b, a];
}
