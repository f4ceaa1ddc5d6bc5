// What a v3 pool was over a range of blocks, as averages need it: rows of the index at block ends.

import type { PoolPoint, PositionPoint } from "../../concentrated/position-amounts.ts";
import type { TickGrowth } from "../../math/tick.ts";
import type { Span, Steps } from "../steps.ts";

/** An initialised tick while its fee growth outside does not change; `until` is the first block at whose end that is over. */
export interface TickSpan extends TickGrowth, Span {}

/** The pool's price and its ticks. Ticks nobody asks about may be missing; they may come in any order. */
export interface PoolHistory {
  /** `undefined` before the pool's `Initialize`, and only there. */
  slots: Steps<PoolPoint | undefined>;
  ticks: readonly TickSpan[];
}

/**
 * A position of the pool, or a token id of a manager, while nothing of its row changes: at the ends of blocks `from` up to
 * but not including `until`, both within the blocks of the pool's steps.
 */
export interface LiquiditySpan extends PositionPoint, Span {}

/** Liquidity without a price or without one of its ticks: the rows are not of one pool, or not of these blocks. */
export class UnpricedLiquidityError extends Error {
  constructor({ tickLower, tickUpper, from, until }: LiquiditySpan) {
    super(
      `Range ${tickLower}…${tickUpper} has liquidity from block ${from} until ${until}, ` +
        "but its ticks or the pool's price are not there throughout: read both for all of these blocks.",
    );
    this.name = "UnpricedLiquidityError";
  }
}
