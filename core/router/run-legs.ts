// Legs executed one after the other, as the router contract does: a pool that several legs pass is found by each as the
// one before left it.
import { MathError } from "../math/math-error.ts";
import { type Pool, type Step, tokenOutOf } from "./pool.ts";
import { runOf, type Swapped, V2Run, V3Run } from "./pool-run.ts";
import type { PoolTables } from "./pool-tables.ts";
import type { TradeType } from "./request.ts";
import type { Hop } from "./route.ts";

/** A leg done: its amounts and, in the order of the path, each pool's. */
export interface LegRun {
  readonly path: readonly Step[];
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly swaps: readonly Swapped[];
}

/** Pools by object, moved by every leg that ran. */
export class LegRunner {
  readonly #tables: PoolTables;
  readonly #runs = new Map<Pool, V3Run | V2Run>();

  constructor(tables: PoolTables) {
    this.#tables = tables;
  }

  /**
   * One more leg. Undefined when the contracts would refuse it, or fill it in part only; pools may have moved then, and
   * no further leg must be run.
   */
  run(path: readonly Step[], amount: bigint, type: TradeType): LegRun | undefined {
    try {
      return type === "exactIn" ? this.#sell(path, amount) : this.#buy(path, amount);
    } catch (error) {
      // where the libraries revert, so does the swap
      if (error instanceof MathError) return undefined;
      throw error;
    }
  }

  #of(pool: Pool): V3Run | V2Run {
    let run = this.#runs.get(pool);
    if (run === undefined) {
      run = runOf(pool, this.#tables);
      this.#runs.set(pool, run);
    }
    return run;
  }

  #sell(path: readonly Step[], amountIn: bigint): LegRun | undefined {
    const swaps: Swapped[] = [];
    let amount = amountIn;
    for (const { pool, tokenIn } of path) {
      if (amount <= 0n) return undefined;
      const run = this.#of(pool);
      const swapped = run instanceof V3Run ? run.swap(tokenIn, amount, "exactIn") : run.sell(tokenIn, amount);
      if (swapped === undefined) return undefined;
      swaps.push(swapped);
      amount = swapped.amountOut;
    }
    return { path, amountIn, amountOut: amount, swaps };
  }

  #buy(path: readonly Step[], amountOut: bigint): LegRun | undefined {
    if (amountOut <= 0n) return undefined;
    if (path.every(({ pool }) => pool.kind === "v3")) return this.#buyV3(path, amountOut);
    // no router contract buys an exact output through both
    return path.every(({ pool }) => pool.kind === "v2") ? this.#buyV2(path, amountOut) : undefined;
  }

  #buyV3(path: readonly Step[], amountOut: bigint): LegRun | undefined {
    const swaps: Swapped[] = [];
    let amount = amountOut;
    for (const { pool, tokenIn } of [...path].reverse()) {
      const run = this.#of(pool);
      const swapped = run instanceof V3Run ? run.swap(tokenIn, amount, "exactOut") : undefined;
      if (swapped === undefined) return undefined;
      swaps.unshift(swapped);
      amount = swapped.amountIn;
    }
    return { path, amountIn: amount, amountOut, swaps };
  }

  /**
   * The router works the inputs out from the end, pays the first, and then lets every pair give all that its input buys:
   * a few wei more than asked can come out of each. Amounts are those asked, the states those after the swaps.
   */
  #buyV2(path: readonly Step[], amountOut: bigint): LegRun | undefined {
    const amounts = [amountOut];
    for (const { pool, tokenIn } of [...path].reverse()) {
      const run = this.#of(pool);
      const input = run instanceof V2Run ? run.inputFor(tokenIn, amounts[0] as bigint) : undefined;
      if (input === undefined) return undefined;
      amounts.unshift(input);
    }
    const amountIn = amounts[0] as bigint;
    const sold = this.#sell(path, amountIn);
    if (sold === undefined) return undefined;
    const swaps = sold.swaps.map((swap, i) => ({
      ...swap,
      amountIn: amounts[i] as bigint,
      amountOut: amounts[i + 1] as bigint,
    }));
    return { path, amountIn, amountOut, swaps };
  }
}

/** The hops of a leg as answers have them. */
export function hopsOf({ path, swaps }: LegRun): Hop[] {
  return path.map((step, i) => {
    const { amountIn, amountOut, ticksCrossed, after } = swaps[i] as Swapped;
    const { pool, tokenIn } = step;
    return { pool, tokenIn, tokenOut: tokenOutOf(step), amountIn, amountOut, ticksCrossed, after: after() };
  });
}

/** Initialised ticks crossed by a leg. */
export function ticksCrossedBy({ swaps }: LegRun): number {
  return swaps.reduce((sum, { ticksCrossed }) => sum + ticksCrossed, 0);
}
