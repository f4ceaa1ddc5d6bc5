// Exact amounts along given paths.
import type { Pool, Step } from "./pool.ts";
import { runOf, type Swapped, V3Run } from "./pool-run.ts";
import type { TradeType } from "./request.ts";
import type { Hop } from "./route.ts";
import { hopsOf, LegRunner } from "./run-legs.ts";

export interface PathQuote {
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly hops: readonly Hop[];
}

/** One swap in one pool as it is; undefined when the contract would refuse it or fill it in part only. May throw a MathError. */
export function quotePool(pool: Pool, tokenIn: string, swap: { amount: bigint; type: TradeType }): Swapped | undefined {
  const run = runOf(pool);
  if (run instanceof V3Run) return run.swap(tokenIn, swap.amount, swap.type);
  if (swap.type === "exactIn") return run.sell(tokenIn, swap.amount);
  const amountIn = run.inputFor(tokenIn, swap.amount);
  return amountIn === undefined ? undefined : run.sell(tokenIn, amountIn);
}

/**
 * One path, its pools as they are. `exactIn` sells `amount` of the first token, `exactOut` buys `amount` of the last.
 * Undefined when the contracts would refuse it or fill it in part only, and for `exactOut` through both protocols.
 */
export function quotePath(path: readonly Step[], amount: bigint, type: TradeType): PathQuote | undefined {
  return quoteLegs([{ path, amount }], type)?.[0];
}

/** Several paths, executed in this order; undefined when one of them cannot be filled. */
export function quoteLegs(
  legs: readonly { path: readonly Step[]; amount: bigint }[],
  type: TradeType,
): PathQuote[] | undefined {
  const runner = new LegRunner();
  const quotes: PathQuote[] = [];
  for (const { path, amount } of legs) {
    const leg = runner.run(path, amount, type);
    if (leg === undefined) return undefined;
    quotes.push({ amountIn: leg.amountIn, amountOut: leg.amountOut, hops: hopsOf(leg) });
  }
  return quotes;
}
