// What the router answers. All amounts are those of the contracts, to the wei, when the legs are executed in this order.
import type { Pool, Step } from "./pool.ts";
import type { Protocol, TradeType } from "./request.ts";

export interface Route {
  readonly type: TradeType;
  /** Sums of the legs'. */
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  /** What was sought: amountOut for `exactIn`, amountIn for `exactOut`. */
  readonly quote: bigint;
  /** In the order in which they must be executed: a pool that legs share is left by one as the next one finds it. */
  readonly legs: readonly Leg[];
  /** Of all legs, and the charge's extra units. */
  readonly gasUnits: bigint;
  /** Gas in the quote's token, rounded up; undefined where the request had no charge. */
  readonly gasInQuote: bigint | undefined;
  /** `quote` less gas for `exactIn` (below 0 when gas eats it all), with gas for `exactOut`; `quote` without a charge. */
  readonly quoteGasAdjusted: bigint;
  /** The best single path for the whole amount; where none takes the whole amount, the path of the largest leg. */
  readonly bestPath: readonly Step[];
}

export interface Leg {
  readonly protocol: Protocol;
  /** Share of the request's amount in hundredths of a percent; all legs' together are 10,000. */
  readonly percentHundredths: number;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly hops: readonly Hop[];
  readonly gasUnits: number;
}

export interface Hop {
  /** The object that the graph was built from: the state before the route. */
  readonly pool: Pool;
  readonly tokenIn: string;
  readonly tokenOut: string;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  /** Initialised ticks crossed; 0 in a v2 pair. */
  readonly ticksCrossed: number;
  /** The pool's state after this hop. */
  readonly after: V3After | V2After;
}

export interface V3After {
  readonly kind: "v3";
  readonly sqrtPriceX96: bigint;
  readonly tick: number;
  readonly liquidity: bigint;
}

export interface V2After {
  readonly kind: "v2";
  readonly reserve0: bigint;
  readonly reserve1: bigint;
}
