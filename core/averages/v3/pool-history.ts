// What a v3 pool was over a range of blocks, as averages need it: rows of the index at block ends.
import type { Steps } from "../steps.ts";

/** The pool at the end of a block. */
export interface PoolSlot {
  sqrtPriceX96: bigint;
  tick: number;
  feeGrowthGlobal0X128: bigint;
  feeGrowthGlobal1X128: bigint;
}

/** An initialised tick while its fee growth outside does not change; `until` is the first block at whose end that is over. */
export interface TickSpan {
  tick: number;
  from: number;
  until: number;
  feeGrowthOutside0X128: bigint;
  feeGrowthOutside1X128: bigint;
}

/** The pool's price and its ticks. Ticks nobody asks about may be missing; they may come in any order. */
export interface PoolHistory {
  /** `undefined` before the pool's `Initialize`, and only there. */
  slots: Steps<PoolSlot | undefined>;
  ticks: readonly TickSpan[];
}

/**
 * A position of the pool, or a token id of a manager, while nothing of its row changes: at the ends of blocks `from` up to
 * but not including `until`, both within the blocks of the pool's steps.
 */
export interface LiquiditySpan {
  from: number;
  until: number;
  tickLower: number;
  tickUpper: number;
  liquidity: bigint;
  feeGrowthInside0LastX128: bigint;
  feeGrowthInside1LastX128: bigint;
  tokensOwed0: bigint;
  tokensOwed1: bigint;
}

/** Liquidity without a price or without one of its ticks: the rows are not of one pool, or not of these blocks. */
export class UnpricedLiquidityError extends Error {
  constructor({
    tickLower,
    tickUpper,
    from,
    until,
  }: Pick<LiquiditySpan, "tickLower" | "tickUpper" | "from" | "until">) {
    super(
      `Range ${tickLower}…${tickUpper} has liquidity from block ${from} until ${until}, ` +
        "but its ticks or the pool's price are not there throughout: read both for all of these blocks.",
    );
    this.name = "UnpricedLiquidityError";
  }
}
