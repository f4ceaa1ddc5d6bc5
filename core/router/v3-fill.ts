// Swaps in a v3 pool, exact to the wei, from wherever an earlier swap in the same direction left it.
// v3-core UniswapV3Pool.sol `swap`, SwapMath.sol `computeSwapStep`

import { getNextSqrtPriceFromInput, getNextSqrtPriceFromOutput } from "../math/sqrt-price-math.ts";
import {
  amountInRoundingUp,
  amountOutRoundingDown,
  FEE_DENOMINATOR,
  feeOfWholeStepRoundingUp,
} from "../math/swap-math.ts";
import { getTickAtSqrtRatio } from "../math/tick-math.ts";
import type { V3After } from "./route.ts";
import type { StepTable } from "./v3-steps.ts";

/** Where a pool is: at a row of its table, or on the way from that row to the next. */
export interface V3Place {
  readonly table: StepTable;
  readonly row: number;
  readonly sqrtPriceX96: bigint;
}

interface V3Fill {
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly ticksCrossed: number;
  readonly place: V3Place;
}

/** Where a table begins: the pool untouched. */
export function startOf(table: StepTable): V3Place {
  return { table, row: 0, sqrtPriceX96: table.pool.sqrtPriceX96 };
}

/** Sells `amountIn` (> 0). Undefined when the pool cannot take all of it. */
export function fillExactIn(place: V3Place, amountIn: bigint): V3Fill | undefined {
  const origin = originOf(place, "input", amountIn);
  if (origin === undefined) return partlyIn(place, { amountIn, left: amountIn, output: 0n, start: place });
  const { table } = place;
  const sum = origin.input + amountIn;
  const row = table.rowOf("input", sum);
  if (row === undefined) return undefined;
  if (table.input[row] === sum) {
    return fillAt(place, row, { amountIn, amountOut: (table.output[row] as bigint) - origin.output });
  }
  const start = { table, row: row - 1, sqrtPriceX96: table.price[row - 1] as bigint };
  const left = sum - (table.input[row - 1] as bigint);
  return partlyIn(start, { amountIn, left, output: (table.output[row - 1] as bigint) - origin.output, start: place });
}

/** Buys `amountOut` (> 0). Undefined when the pool does not have it. */
export function fillExactOut(place: V3Place, amountOut: bigint): V3Fill | undefined {
  const origin = originOf(place, "output", amountOut);
  if (origin === undefined) return partlyOut(place, { amountOut, left: amountOut, input: 0n, start: place });
  const { table } = place;
  const sum = origin.output + amountOut;
  const row = table.rowOf("output", sum);
  if (row === undefined) return undefined;
  if (table.output[row] === sum) {
    return fillAt(place, row, { amountIn: (table.input[row] as bigint) - origin.input, amountOut });
  }
  const start = { table, row: row - 1, sqrtPriceX96: table.price[row - 1] as bigint };
  const left = sum - (table.output[row - 1] as bigint);
  return partlyOut(start, { amountOut, left, input: (table.input[row - 1] as bigint) - origin.input, start: place });
}

/** The pool's storage at a place. */
export function stateAt({ table, row, sqrtPriceX96 }: V3Place): V3After {
  const tick = sqrtPriceX96 === table.price[row] ? (table.tick[row] as number) : getTickAtSqrtRatio(sqrtPriceX96);
  return { kind: "v3", sqrtPriceX96, tick, liquidity: table.liquidity[row] as bigint };
}

/**
 * The table's sums as if they had been counted from this place; undefined when `amount` of `side` does not reach the end
 * of the step that the place is in. The rest of that step is rounded again: it is not the whole step less what was swapped.
 */
function originOf(
  { table, row, sqrtPriceX96 }: V3Place,
  side: "input" | "output",
  amount: bigint,
): { input: bigint; output: bigint } | undefined {
  if (sqrtPriceX96 === table.price[row]) {
    return { input: table.input[row] as bigint, output: table.output[row] as bigint };
  }
  const rest = table.wholeStep(sqrtPriceX96, row + 1);
  if (amount < rest[side]) return undefined;
  return {
    input: (table.input[row + 1] as bigint) - rest.input,
    output: (table.output[row + 1] as bigint) - rest.output,
  };
}

function fillAt(start: V3Place, row: number, amounts: { amountIn: bigint; amountOut: bigint }): V3Fill {
  const { table } = start;
  const place = { table, row, sqrtPriceX96: table.price[row] as bigint };
  return { ...amounts, ticksCrossed: crossedBetween(start, place), place };
}

function crossedBetween(start: V3Place, end: V3Place): number {
  return (end.table.crossed[end.row] as number) - (start.table.crossed[start.row] as number);
}

/** The last step of an exact input: it ends before its target, and what the price does not take is fee. */
function partlyIn(from: V3Place, swap: { amountIn: bigint; left: bigint; output: bigint; start: V3Place }): V3Fill {
  const { table, row, sqrtPriceX96 } = from;
  const liquidity = table.liquidity[row] as bigint;
  const lessFee = (swap.left * (FEE_DENOMINATOR - table.feePips)) / FEE_DENOMINATOR;
  const end = getNextSqrtPriceFromInput(sqrtPriceX96, liquidity, lessFee, table.zeroForOne);
  const output = amountOutRoundingDown(sqrtPriceX96, end, liquidity, table.zeroForOne);
  return {
    amountIn: swap.amountIn,
    amountOut: swap.output + output,
    ticksCrossed: crossedBetween(swap.start, from),
    place: { table, row, sqrtPriceX96: end },
  };
}

/** The last step of an exact output; its price is rounded up to the wanted output and may so come to the target. */
function partlyOut(from: V3Place, swap: { amountOut: bigint; left: bigint; input: bigint; start: V3Place }): V3Fill {
  const { table, row, sqrtPriceX96 } = from;
  const liquidity = table.liquidity[row] as bigint;
  const end = getNextSqrtPriceFromOutput(sqrtPriceX96, liquidity, swap.left, table.zeroForOne);
  const input = amountInRoundingUp(sqrtPriceX96, end, liquidity, table.zeroForOne);
  const amounts = {
    amountIn: swap.input + input + feeOfWholeStepRoundingUp(input, table.feePips),
    amountOut: swap.amountOut,
  };
  if (end === table.price[row + 1]) return fillAt(swap.start, row + 1, amounts);
  const ticksCrossed = crossedBetween(swap.start, from);
  return { ...amounts, ticksCrossed, place: { table, row, sqrtPriceX96: end } };
}
