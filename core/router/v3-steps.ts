// A v3 pool laid out in one direction from its price outward, one row for each step that the contract's swap loop takes.
// A step that reaches its target takes an input and gives an output that do not depend on what is left of the amount, so
// sums over whole steps can be kept, and a swap is one search in them and one partial step.
// Steps end at the edges of the tick bitmap's words too, although nothing happens there: the contract rounds at each.
// v3-core UniswapV3Pool.sol `swap`
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
import type { V3Pool, V3Tick } from "./pool.ts";

/** What a whole step takes, fee included, and gives. */
interface StepAmounts {
  readonly input: bigint;
  readonly output: bigint;
}

/** Rows are made when they are asked for; row i is the pool after i whole steps. */
export class StepTable {
  readonly pool: V3Pool;
  readonly zeroForOne: boolean;
  readonly feePips: bigint;
  readonly price: bigint[];
  readonly tick: number[];
  /** In range from this row's price to the next one's. */
  readonly liquidity: bigint[];
  /** Sums over all steps up to here. */
  readonly input: bigint[] = [0n];
  readonly output: bigint[] = [0n];
  /** Initialised ticks crossed up to here. */
  readonly crossed: number[] = [0];
  readonly #limit: bigint;
  /** Index of the next initialised tick in this direction. */
  #nextTick: number;
  #isComplete: boolean;

  constructor(pool: V3Pool, zeroForOne: boolean) {
    this.pool = pool;
    this.zeroForOne = zeroForOne;
    this.feePips = BigInt(pool.fee);
    this.price = [pool.sqrtPriceX96];
    this.tick = [pool.tick];
    this.liquidity = [pool.liquidity];
    // the limits that the routers and the quoter pass on
    this.#limit = zeroForOne ? MIN_SQRT_RATIO + 1n : MAX_SQRT_RATIO - 1n;
    this.#isComplete = pool.sqrtPriceX96 === 0n || isPast(pool.sqrtPriceX96, this.#limit, zeroForOne);
    const above = pool.ticks.findIndex(({ tick }) => tick > pool.tick);
    const firstAbove = above < 0 ? pool.ticks.length : above;
    this.#nextTick = zeroForOne ? firstAbove - 1 : firstAbove;
  }

  /** The first row whose sum of `side` is at least `amount` (> 0); undefined when the pool ends before. */
  rowOf(side: "input" | "output", amount: bigint): number | undefined {
    const sums = this[side];
    while ((sums[sums.length - 1] as bigint) < amount) {
      if (this.#isComplete) return undefined;
      this.#addRow();
    }
    let low = 1;
    let high = sums.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sums[middle] as bigint) < amount) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** A whole step from any price on the way to row `row`'s, with the liquidity before it. */
  wholeStep(from: bigint, row: number): StepAmounts {
    return this.#amounts(from, this.price[row] as bigint, this.liquidity[row - 1] as bigint);
  }

  #amounts(from: bigint, target: bigint, liquidity: bigint): StepAmounts {
    const amountIn = amountInRoundingUp(from, target, liquidity, this.zeroForOne);
    return {
      input: amountIn + feeOfWholeStepRoundingUp(amountIn, this.feePips),
      output: amountOutRoundingDown(from, target, liquidity, this.zeroForOne),
    };
  }

  #addRow(): void {
    const last = this.price.length - 1;
    const liquidity = this.liquidity[last] as bigint;
    const { next, crossed } = this.#nextStop(this.tick[last] as number, liquidity);
    if (crossed === undefined && liquidity === 0n) {
      this.#isComplete = true;
      return;
    }
    const nextPrice = getSqrtRatioAtTick(next);
    this.#isComplete = isPast(nextPrice, this.#limit, this.zeroForOne);
    const target = this.#isComplete ? this.#limit : nextPrice;
    const { input, output } = this.#amounts(this.price[last] as bigint, target, liquidity);
    this.price.push(target);
    this.input.push((this.input[last] as bigint) + input);
    this.output.push((this.output[last] as bigint) + output);
    const isReached = target === nextPrice;
    this.tick.push(isReached ? next - (this.zeroForOne ? 1 : 0) : getTickAtSqrtRatio(target));
    if (isReached && crossed !== undefined) {
      this.#nextTick += this.zeroForOne ? -1 : 1;
      this.liquidity.push(addDelta(liquidity, this.zeroForOne ? -crossed.liquidityNet : crossed.liquidityNet));
      this.crossed.push((this.crossed[last] as number) + 1);
    } else {
      this.liquidity.push(liquidity);
      this.crossed.push(this.crossed[last] as number);
    }
  }

  /** Where a step from `tick` ends at the latest, and the initialised tick that is there. */
  #nextStop(tick: number, liquidity: bigint): { next: number; crossed: V3Tick | undefined } {
    const { pool, zeroForOne } = this;
    const found = pool.ticks[this.#nextTick];
    const edge = Math.max(MIN_TICK, Math.min(MAX_TICK, lastTickOfWord(tick, pool.tickSpacing, zeroForOne)));
    if (found === undefined) return { next: edge, crossed: undefined };
    // without liquidity a step takes and gives nothing wherever it ends: all of them are one
    const isNext = liquidity === 0n || (zeroForOne ? found.tick >= edge : found.tick <= edge);
    return isNext ? { next: found.tick, crossed: found } : { next: edge, crossed: undefined };
  }
}

/** At the limit or beyond it. */
function isPast(price: bigint, limit: bigint, zeroForOne: boolean): boolean {
  return zeroForOne ? price <= limit : price >= limit;
}
