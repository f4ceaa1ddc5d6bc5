// A swap, replayed from its event. The event names the end, not the order: neither the amount specified nor the price
// limit is known. Neither is needed. Every step that reaches its target charges a fee that its input alone decides;
// only the last one can fall short of its target, and its fee is whatever the event's input still holds: the remainder
// of an exact input, or the usual fee where an exact output or a price limit ended the swap.
// v3-core UniswapV3Pool.sol `swap`

import { protocolFeeRoundingDown } from "../concentrated/protocol-fee.ts";
import { addDelta } from "../math/liquidity-math.ts";
import { amountInRoundingUp, amountOutRoundingDown, feeOfWholeStepRoundingUp } from "../math/swap-math.ts";
import { lastTickOfWord } from "../math/tick-bitmap.ts";
import {
  getSqrtRatioAtTick,
  getTickAtSqrtRatio,
  MAX_SQRT_RATIO,
  MAX_TICK,
  MIN_SQRT_RATIO,
  MIN_TICK,
} from "../math/tick-math.ts";
import type { SwapFact } from "./facts.ts";
import { ReplayMismatchError, requireEqual } from "./replay-mismatch.ts";
import { indexAbove, type PoolState, type TickState } from "./state.ts";

/** A swap under way. The pool itself stays untouched until the end has been compared with the event. */
interface Run {
  readonly pool: PoolState;
  readonly fact: SwapFact;
  readonly zeroForOne: boolean;
  readonly feeProtocol: number;
  /** What the event's input still holds, what its output still lacks. */
  inputLeft: bigint;
  outputLeft: bigint;
  sqrtPriceX96: bigint;
  tick: number;
  liquidity: bigint;
  /** Of the input token. */
  feeGrowthGlobalX128: bigint;
  protocolFee: bigint;
  /** Index of the first initialised tick above `tick`. */
  above: number;
  readonly crossed: { tick: TickState; feeGrowthGlobalX128: bigint }[];
}

/** Applies a swap to its pool, or throws {@link ReplayMismatchError} and leaves the pool as it was. */
export function replaySwap(pool: PoolState, fact: SwapFact): void {
  if (pool.sqrtPriceX96 === 0n || !canEndThere(pool, fact)) {
    throw new ReplayMismatchError(fact, {
      field: "sqrtPriceX96",
      expected: fact.sqrtPriceX96,
      replayed: pool.sqrtPriceX96,
    });
  }
  const run = startRun(pool, fact);
  while (takeStep(run));
  requireSameEnd(run);
  commit(run);
}

/** Both ends of all prices are limits that a swap must not name. A pool may begin at the lowest, and token1 too little to move it. */
function canEndThere(pool: PoolState, { sqrtPriceX96, amount0 }: SwapFact): boolean {
  if (sqrtPriceX96 === MIN_SQRT_RATIO) return pool.sqrtPriceX96 === MIN_SQRT_RATIO && amount0 <= 0n;
  return sqrtPriceX96 > MIN_SQRT_RATIO && sqrtPriceX96 < MAX_SQRT_RATIO;
}

function startRun(pool: PoolState, fact: SwapFact): Run {
  // an input too small to move the price still has a direction: only its token came in
  const hasNotMoved = fact.sqrtPriceX96 === pool.sqrtPriceX96;
  const zeroForOne = hasNotMoved ? fact.amount0 > 0n : fact.sqrtPriceX96 < pool.sqrtPriceX96;
  return {
    pool,
    fact,
    zeroForOne,
    feeProtocol: zeroForOne ? pool.feeProtocol0 : pool.feeProtocol1,
    inputLeft: zeroForOne ? fact.amount0 : fact.amount1,
    outputLeft: zeroForOne ? -fact.amount1 : -fact.amount0,
    sqrtPriceX96: pool.sqrtPriceX96,
    tick: pool.tick,
    liquidity: pool.liquidity,
    feeGrowthGlobalX128: zeroForOne ? pool.feeGrowthGlobal0X128 : pool.feeGrowthGlobal1X128,
    protocolFee: 0n,
    above: indexAbove(pool.ticks, pool.tick),
    crossed: [],
  };
}

/** One turn of the contract's loop; false when the swap has ended. */
function takeStep(run: Run): boolean {
  const { zeroForOne, fact } = run;
  const { ticks, tickSpacing } = run.pool;
  const edge = lastTickOfWord(run.tick, tickSpacing, zeroForOne);
  const candidate = ticks[zeroForOne ? run.above - 1 : run.above];
  const isInWord = candidate !== undefined && (zeroForOne ? candidate.tick >= edge : candidate.tick <= edge);
  const initialized = isInWord ? candidate : undefined;
  const tickNext = initialized?.tick ?? Math.max(MIN_TICK, Math.min(MAX_TICK, edge));
  const sqrtPriceNextX96 = initialized?.sqrtRatioX96 ?? getSqrtRatioAtTick(tickNext);
  const reachesTick = zeroForOne ? sqrtPriceNextX96 >= fact.sqrtPriceX96 : sqrtPriceNextX96 <= fact.sqrtPriceX96;
  moveTo(run, reachesTick ? sqrtPriceNextX96 : fact.sqrtPriceX96, reachesTick);
  if (!reachesTick) return false;
  if (initialized !== undefined) cross(run, initialized);
  run.tick = zeroForOne ? tickNext - 1 : tickNext;
  // an exact input can end on a tick's price with some wei left: one more step takes them as fee, without moving
  return run.sqrtPriceX96 !== fact.sqrtPriceX96 || run.inputLeft > 0n;
}

/** Moves the price to `target`, charges the fee, spreads it. */
function moveTo(run: Run, target: bigint, isWholeStep: boolean): void {
  const { pool, fact, zeroForOne, liquidity } = run;
  if (run.outputLeft < 0n) mismatchedOutput(run);
  const amountIn = amountInRoundingUp(run.sqrtPriceX96, target, liquidity, zeroForOne);
  const usualFee = feeOfWholeStepRoundingUp(amountIn, pool.feePips);
  const fee = isWholeStep ? usualFee : run.inputLeft - amountIn;
  run.inputLeft -= amountIn + fee;
  // the remainder of an exact input is never less than the usual fee; without liquidity nothing is bought or charged
  if (run.inputLeft < 0n || fee < usualFee || (liquidity === 0n && fee > 0n)) mismatchedInput(run, fee);
  run.outputLeft -= amountOutRoundingDown(run.sqrtPriceX96, target, liquidity, zeroForOne);
  // an exact output takes no more than it wants, though the price was rounded past it
  if (run.outputLeft < 0n && fee !== usualFee) mismatchedOutput(run);
  const protocolFee = protocolFeeRoundingDown(pool.flavour, run.feeProtocol, fee);
  run.protocolFee = BigInt.asUintN(128, run.protocolFee + protocolFee);
  if (liquidity > 0n) {
    run.feeGrowthGlobalX128 = BigInt.asUintN(256, run.feeGrowthGlobalX128 + ((fee - protocolFee) << 128n) / liquidity);
  }
  if (!isWholeStep && target !== run.sqrtPriceX96) run.tick = tickAt(target, fact.tick);
  run.sqrtPriceX96 = target;
}

/** The tick of a price; the event's own tick is nearly always right and cheaper to confirm than to compute. */
function tickAt(sqrtPriceX96: bigint, guess: number): number {
  const isRight =
    guess >= MIN_TICK &&
    guess < MAX_TICK &&
    getSqrtRatioAtTick(guess) <= sqrtPriceX96 &&
    sqrtPriceX96 < getSqrtRatioAtTick(guess + 1);
  return isRight ? guess : getTickAtSqrtRatio(sqrtPriceX96);
}

function cross(run: Run, tick: TickState): void {
  run.crossed.push({ tick, feeGrowthGlobalX128: run.feeGrowthGlobalX128 });
  run.liquidity = addDelta(run.liquidity, run.zeroForOne ? -tick.liquidityNet : tick.liquidityNet);
  run.above += run.zeroForOne ? -1 : 1;
}

function requireSameEnd(run: Run): void {
  const { fact, zeroForOne, protocolFee } = run;
  requireEqual(fact, { field: "liquidity", expected: fact.liquidity, replayed: run.liquidity });
  requireEqual(fact, { field: "tick", expected: fact.tick, replayed: run.tick });
  if (run.outputLeft > 0n) mismatchedOutput(run);
  if (run.pool.flavour !== "kodiak") return;
  const earned = run.pool.earned ?? { amount0: 0n, amount1: 0n };
  requireEqual(fact, {
    field: "ProtocolFeesEarned.amount0",
    expected: earned.amount0,
    replayed: zeroForOne ? protocolFee : 0n,
  });
  requireEqual(fact, {
    field: "ProtocolFeesEarned.amount1",
    expected: earned.amount1,
    replayed: zeroForOne ? 0n : protocolFee,
  });
}

function commit(run: Run): void {
  const { pool, zeroForOne } = run;
  for (const { tick, feeGrowthGlobalX128 } of run.crossed) {
    const global0 = zeroForOne ? feeGrowthGlobalX128 : pool.feeGrowthGlobal0X128;
    const global1 = zeroForOne ? pool.feeGrowthGlobal1X128 : feeGrowthGlobalX128;
    tick.feeGrowthOutside0X128 = BigInt.asUintN(256, global0 - tick.feeGrowthOutside0X128);
    tick.feeGrowthOutside1X128 = BigInt.asUintN(256, global1 - tick.feeGrowthOutside1X128);
    pool.changedTicks.add(tick.tick);
  }
  pool.sqrtPriceX96 = run.sqrtPriceX96;
  pool.tick = run.tick;
  pool.liquidity = run.liquidity;
  if (zeroForOne) {
    pool.feeGrowthGlobal0X128 = run.feeGrowthGlobalX128;
    pool.protocolFees0 = BigInt.asUintN(128, pool.protocolFees0 + run.protocolFee);
  } else {
    pool.feeGrowthGlobal1X128 = run.feeGrowthGlobalX128;
    pool.protocolFees1 = BigInt.asUintN(128, pool.protocolFees1 + run.protocolFee);
  }
  pool.earned = undefined;
  pool.hasChanged = true;
}

function mismatchedInput({ fact, zeroForOne, inputLeft }: Run, fee: bigint): never {
  const [field, expected] = zeroForOne ? (["amount0", fact.amount0] as const) : (["amount1", fact.amount1] as const);
  throw new ReplayMismatchError(fact, {
    field,
    expected,
    replayed: `${expected - inputLeft} with a fee of ${fee} in the last step`,
  });
}

function mismatchedOutput({ fact, zeroForOne, outputLeft }: Run): never {
  const [field, expected] = zeroForOne ? (["amount1", fact.amount1] as const) : (["amount0", fact.amount0] as const);
  throw new ReplayMismatchError(fact, { field, expected, replayed: expected + outputLeft });
}
