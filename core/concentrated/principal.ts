// What liquidity in a range of ticks is in tokens. v3-core UniswapV3Pool.sol `_modifyPosition`
import type { Amounts } from "../math/liquidity-amounts.ts";
import {
  getAmount0DeltaRoundingDown,
  getAmount0DeltaRoundingUp,
  getAmount1DeltaRoundingDown,
  getAmount1DeltaRoundingUp,
} from "../math/sqrt-price-math.ts";
import { getSqrtRatioAtTick } from "../math/tick-math.ts";

interface PoolPrice {
  tick: number;
  sqrtPriceX96: bigint;
}

interface RangeLiquidity {
  tickLower: number;
  tickUpper: number;
  liquidity: bigint;
}

/** The tokens that taking `liquidity` out of a range pays now, rounded down as the pool does. */
export function principalRoundingDown(pool: PoolPrice, range: RangeLiquidity): Amounts {
  const { lower, from, upper } = pricesOf(pool, range);
  return {
    amount0: getAmount0DeltaRoundingDown(from, upper, range.liquidity),
    amount1: getAmount1DeltaRoundingDown(lower, from, range.liquidity),
  };
}

/** The tokens that putting `liquidity` into a range costs now, rounded up as the pool does. */
export function principalRoundingUp(pool: PoolPrice, range: RangeLiquidity): Amounts {
  const { lower, from, upper } = pricesOf(pool, range);
  return {
    amount0: getAmount0DeltaRoundingUp(from, upper, range.liquidity),
    amount1: getAmount1DeltaRoundingUp(lower, from, range.liquidity),
  };
}

/** A range holds token0 above the price `from`, and token1 below it. The tick decides which of the two it has, not the price. */
function pricesOf({ tick, sqrtPriceX96 }: PoolPrice, { tickLower, tickUpper }: RangeLiquidity) {
  const lower = getSqrtRatioAtTick(tickLower);
  const upper = getSqrtRatioAtTick(tickUpper);
  return { lower, from: tick < tickLower ? lower : tick >= tickUpper ? upper : sqrtPriceX96, upper };
}
