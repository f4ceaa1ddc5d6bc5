// Exact amounts along given paths.
import type { Step } from "./pool.ts";
import { PoolTables } from "./pool-tables.ts";
import type { TradeType } from "./request.ts";
import type { Hop } from "./route.ts";
import { hopsOf, LegRunner } from "./run-legs.ts";

interface PathQuote {
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly hops: readonly Hop[];
}

/**
 * One path, its pools as they are. `exactIn` sells `amount` of the first token, `exactOut` buys `amount` of the last.
 * Undefined when the contracts would refuse it or fill it in part only, and for `exactOut` through both protocols.
 */
export function quotePath(path: readonly Step[], amount: bigint, type: TradeType): PathQuote | undefined {
  return quoteLegs([{ path, amount }], type)?.[0];
}

/**
 * Several paths, executed in this order; undefined when one of them cannot be filled. `tables`: for who asks about the same pools
 * again.
 */
export function quoteLegs(
  legs: readonly { path: readonly Step[]; amount: bigint }[],
  type: TradeType,
  tables = new PoolTables(),
): PathQuote[] | undefined {
  const runner = new LegRunner(tables);
  const quotes: PathQuote[] = [];
  for (const { path, amount } of legs) {
    const leg = runner.run(path, amount, type);
    if (leg === undefined) return undefined;
    quotes.push({ amountIn: leg.amountIn, amountOut: leg.amountOut, hops: hopsOf(leg) });
  }
  return quotes;
}
