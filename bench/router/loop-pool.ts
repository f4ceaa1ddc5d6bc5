// A v3 pool that swaps as its contract does: step by step, without tables. Slow, but simple enough to compare with.
// v3-core UniswapV3Pool.sol `swap`
import { computeSwapStep } from "../../core/math/swap-math.ts";
import { nextInitializedTickWithinOneWord } from "../../core/math/tick-bitmap.ts";
import { getSqrtRatioAtTick, getTickAtSqrtRatio } from "../../core/math/tick-math.ts";
import type { V3Pool } from "../../core/router/pool.ts";

export class LoopPool {
  readonly #pool: V3Pool;
  readonly #ticks: number[];
  readonly #net: Map<number, bigint>;
  #price: bigint;
  #tick: number;
  #liquidity: bigint;

  constructor(pool: V3Pool) {
    this.#pool = pool;
    this.#ticks = pool.ticks.map(({ tick }) => tick);
    this.#net = new Map(pool.ticks.map(({ tick, liquidityNet }) => [tick, liquidityNet]));
    [this.#price, this.#tick, this.#liquidity] = [pool.sqrtPriceX96, pool.tick, pool.liquidity];
  }

  /** Output of an exact input; the pool stays where the swap ends, which beyond the last tick is after only a part of the input. */
  sell(zeroForOne: boolean, amount: bigint): bigint {
    const { tickSpacing, fee } = this.#pool;
    let [left, output] = [amount, 0n];
    while (left > 0n) {
      const search = { tick: this.#tick, tickSpacing, lte: zeroForOne };
      const { next, initialized } = nextInitializedTickWithinOneWord(this.#ticks, search);
      if (next < -887_272 || next > 887_272) break;
      const target = getSqrtRatioAtTick(next);
      const step = computeSwapStep(this.#price, target, this.#liquidity, left, BigInt(fee));
      left -= step.amountIn + step.feeAmount;
      output += step.amountOut;
      this.#price = step.sqrtRatioNextX96;
      if (this.#price !== target) {
        this.#tick = getTickAtSqrtRatio(this.#price);
        continue;
      }
      if (initialized) this.#liquidity += (this.#net.get(next) ?? 0n) * (zeroForOne ? -1n : 1n);
      this.#tick = zeroForOne ? next - 1 : next;
    }
    return output;
  }
}
