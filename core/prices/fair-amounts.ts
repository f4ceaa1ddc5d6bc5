// What liquidity would hold if its pool stood at the mean price. A share is valued by these amounts: what a pool really holds can
// be pushed far to one side within a block, and would then be worth more at any fair price.
import type { Fraction } from "../lookthrough/fraction.ts";
import { type Amounts, getAmountsForLiquidity } from "../math/liquidity-amounts.ts";
import { getSqrtRatioAtTick, MAX_SQRT_RATIO, MIN_SQRT_RATIO } from "../math/tick-math.ts";
import { rootRoundingDown } from "./integer-root.ts";

/** Bits beyond the point while roots are taken; even. */
const FINE_BITS = 128n;

/** Both tokens of a pair with the same product at `price` (token1 per token0), rounded down. */
export function fairPairAmounts({ amount0, amount1 }: Amounts, { numerator, denominator }: Fraction): Amounts {
  const product = (amount0 * amount1) << FINE_BITS;
  return {
    amount0: rootRoundingDown((product * denominator) / numerator) >> (FINE_BITS / 2n),
    amount1: rootRoundingDown((product * numerator) / denominator) >> (FINE_BITS / 2n),
  };
}

/** Both tokens behind liquidity of a range at `price`, rounded down. */
export function fairRangeAmounts(
  position: { liquidity: bigint; tickLower: number; tickUpper: number },
  { numerator, denominator }: Fraction,
): Amounts {
  const root = rootRoundingDown((numerator << 192n) / denominator);
  const sqrtPriceX96 = within(root);
  const [lower, upper] = [getSqrtRatioAtTick(position.tickLower), getSqrtRatioAtTick(position.tickUpper)];
  return getAmountsForLiquidity(sqrtPriceX96, lower, upper, position.liquidity);
}

function within(sqrtPriceX96: bigint): bigint {
  if (sqrtPriceX96 < MIN_SQRT_RATIO) return MIN_SQRT_RATIO;
  return sqrtPriceX96 > MAX_SQRT_RATIO ? MAX_SQRT_RATIO : sqrtPriceX96;
}
