// One step of a swap: from the current price at most to a target price, inside one range of constant liquidity.
// v3-core contracts/libraries/SwapMath.sol
// biome-ignore-all lint/complexity/useMaxParams: signatures are those of the Solidity library
import { mulDiv, mulDivRoundingUp } from "./full-math.ts";
import {
  getAmount0DeltaRoundingDown,
  getAmount0DeltaRoundingUp,
  getAmount1DeltaRoundingDown,
  getAmount1DeltaRoundingUp,
  getNextSqrtPriceFromInput,
  getNextSqrtPriceFromOutput,
} from "./sqrt-price-math.ts";

/** The denominator of `feePips`: a fee of 3000 is 0.3 %. */
export const FEE_DENOMINATOR = 1_000_000n;

interface SwapStep {
  sqrtRatioNextX96: bigint;
  amountIn: bigint;
  amountOut: bigint;
  feeAmount: bigint;
}

/** Input between two prices, rounded up; `zeroForOne` sells token0. */
export function amountInRoundingUp(from: bigint, to: bigint, liquidity: bigint, zeroForOne: boolean): bigint {
  return zeroForOne ? getAmount0DeltaRoundingUp(to, from, liquidity) : getAmount1DeltaRoundingUp(from, to, liquidity);
}

/** Output between two prices, rounded down; `zeroForOne` sells token0. */
export function amountOutRoundingDown(from: bigint, to: bigint, liquidity: bigint, zeroForOne: boolean): bigint {
  return zeroForOne
    ? getAmount1DeltaRoundingDown(to, from, liquidity)
    : getAmount0DeltaRoundingDown(from, to, liquidity);
}

/** The fee on top of an input that moved the price all the way to its target: ceil(amountIn × fee ÷ (1e6 − fee)). */
export function feeOfWholeStepRoundingUp(amountIn: bigint, feePips: bigint): bigint {
  return mulDivRoundingUp(amountIn, feePips, FEE_DENOMINATOR - feePips);
}

/**
 * `SwapMath.computeSwapStep`. `amountRemaining` ≥ 0 is input still to be swapped, < 0 output still wanted. Input is
 * rounded up, output down; an input that does not reach the target is used up, its remainder being the fee.
 */
export function computeSwapStep(
  sqrtRatioCurrentX96: bigint,
  sqrtRatioTargetX96: bigint,
  liquidity: bigint,
  amountRemaining: bigint,
  feePips: bigint,
): SwapStep {
  const zeroForOne = sqrtRatioCurrentX96 >= sqrtRatioTargetX96;
  const exactIn = amountRemaining >= 0n;
  let sqrtRatioNextX96 = sqrtRatioTargetX96;
  if (exactIn) {
    const lessFee = mulDiv(amountRemaining, FEE_DENOMINATOR - feePips, FEE_DENOMINATOR);
    if (lessFee < amountInRoundingUp(sqrtRatioCurrentX96, sqrtRatioTargetX96, liquidity, zeroForOne)) {
      sqrtRatioNextX96 = getNextSqrtPriceFromInput(sqrtRatioCurrentX96, liquidity, lessFee, zeroForOne);
    }
  } else if (-amountRemaining < amountOutRoundingDown(sqrtRatioCurrentX96, sqrtRatioTargetX96, liquidity, zeroForOne)) {
    sqrtRatioNextX96 = getNextSqrtPriceFromOutput(sqrtRatioCurrentX96, liquidity, -amountRemaining, zeroForOne);
  }
  const amountIn = amountInRoundingUp(sqrtRatioCurrentX96, sqrtRatioNextX96, liquidity, zeroForOne);
  const out = amountOutRoundingDown(sqrtRatioCurrentX96, sqrtRatioNextX96, liquidity, zeroForOne);
  // the price is rounded past the output wanted: what lies beyond it stays in the pool
  const amountOut = !exactIn && out > -amountRemaining ? -amountRemaining : out;
  const feeAmount =
    exactIn && sqrtRatioNextX96 !== sqrtRatioTargetX96
      ? amountRemaining - amountIn
      : feeOfWholeStepRoundingUp(amountIn, feePips);
  return { sqrtRatioNextX96, amountIn, amountOut, feeAmount };
}
