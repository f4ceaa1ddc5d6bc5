// Exact amounts along given paths.
import type { Step } from "./pool.ts";
import type { TradeType } from "./request.ts";
import type { Hop } from "./route.ts";

export interface PathQuote {
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly hops: readonly Hop[];
}

/** One path, its pools as they are; undefined when the contracts would refuse it or fill it in part only. */
export function quotePath(path: readonly Step[], _amount: bigint, _type: TradeType): PathQuote | undefined {
  throw new Error(`No kernel yet for ${path.length} hops.`);
}
