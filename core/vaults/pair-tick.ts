// Where a v2 pair stands, in the ticks of v3 pools.
import { getTickAtSqrtRatio, MAX_SQRT_RATIO, MAX_TICK, MIN_SQRT_RATIO, MIN_TICK } from "../math/tick-math.ts";
import { rootRoundingDown } from "../prices/integer-root.ts";

/** A pair's liquidity reaches as far as any can. */
export const FULL_RANGE = { lowerTick: MIN_TICK, upperTick: MAX_TICK };

/** The tick of amount1 ÷ amount0, rounded down; undefined while there is none of one of them. */
export function tickOfAmounts(amount0: bigint, amount1: bigint): number | undefined {
  if (amount0 <= 0n || amount1 <= 0n) return undefined;
  const root = rootRoundingDown((amount1 << 192n) / amount0);
  if (root < MIN_SQRT_RATIO) return MIN_TICK;
  return root >= MAX_SQRT_RATIO ? MAX_TICK : getTickAtSqrtRatio(root);
}
