// What liquidity in a range of ticks is in tokens. v3-core UniswapV3Pool.sol `_modifyPosition`
import { getAmount0DeltaRoundingDown, getAmount1DeltaRoundingDown } from "../math/sqrt-price-math.ts";
import { getSqrtRatioAtTick } from "../math/tick-math.ts";

/** Raw token units. */
export interface Amounts {
  amount0: bigint;
  amount1: bigint;
}

export interface RangeLiquidity {
  tickLower: number;
  tickUpper: number;
  liquidity: bigint;
}

/**
 * The tokens that taking `liquidity` out of a range pays now, rounded down as the pool does. The tick decides which
 * tokens the range holds.
 */
export function principalRoundingDown(
  pool: { tick: number; sqrtPriceX96: bigint },
  { tickLower, tickUpper, liquidity }: RangeLiquidity,
): Amounts {
  const lower = getSqrtRatioAtTick(tickLower);
  const upper = getSqrtRatioAtTick(tickUpper);
  const from = pool.tick < tickLower ? lower : pool.tick >= tickUpper ? upper : pool.sqrtPriceX96;
  return {
    amount0: getAmount0DeltaRoundingDown(from, upper, liquidity),
    amount1: getAmount1DeltaRoundingDown(lower, from, liquidity),
  };
}
