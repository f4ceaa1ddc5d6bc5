// A v3 pool's price, tick and liquidity in range from one block to another.
import { z } from "zod";
import { valueAt } from "../../core/averages/steps.ts";
import { blockTimes } from "../averages/block-times.ts";
import { type PricedLiquidity, V3Rows } from "../averages/v3-rows.ts";
import type { V3Pool } from "../concentrated/pool.ts";
import type { Operation } from "../context.ts";
import { InvalidInputError } from "../errors.ts";
import { asOf } from "../history/as-of.ts";
import type { BlockChoice } from "../history/block-choice.ts";
import type { BlockPoint } from "../history/point.ts";
import { type Address, wholeNumber } from "../parameters.ts";
import { locatePoolRange, spread } from "./locate-range.ts";

export const MOST_POOL_POINTS = 1_000;
export const poolPoints = z.object({ points: wholeNumber(1, MOST_POOL_POINTS).optional() });
export const MOST_POOL_CHANGES = 10_000;

interface PoolHistoryInput {
  pool: Address;
  from: BlockChoice;
  to: BlockChoice;
  /** Blocks evenly spaced over the range; without it every block at whose end something is another. */
  points: number | undefined;
}

export interface PoolMoment {
  block: number;
  /** Unix seconds. */
  timestamp: number;
  /** Undefined before `Initialize`. */
  slot: PricedLiquidity | undefined;
}

interface PoolHistory {
  pool: V3Pool;
  from: BlockPoint;
  to: BlockPoint;
  /** Ascending; the first at the first block. */
  entries: readonly PoolMoment[];
}

/**
 * `points`: at most {@link MOST_POOL_POINTS}.
 * @throws InvalidInputError naming the first block's parameter, or `points` where there are more than {@link MOST_POOL_CHANGES} changes;
 * PoolNotFoundError, PoolStoppedError; what pointOf throws
 */
export const poolHistory: Operation<PoolHistoryInput, PoolHistory> = {
  name: "poolHistory",
  async run(input, context) {
    const { pool, from, to } = await locatePoolRange(context, input);
    const at = asOf(context.snapshot, to);
    const steps = await new V3Rows(at, { from: from.block, to: to.block }).priceSteps(pool.id);
    const blocks =
      input.points === undefined ? steps.map((step) => step.from) : spread(from.block, to.block, input.points);
    if (blocks.length > MOST_POOL_CHANGES) {
      throw new InvalidInputError(
        "points",
        `is needed for more than ${MOST_POOL_CHANGES} changes, here ${blocks.length}; or give a shorter range`,
      );
    }
    const times = await blockTimes(at, blocks);
    const entries = blocks.map((block) => ({
      block,
      timestamp: Number(times.get(block)),
      slot: valueAt(steps, block),
    }));
    return { pool, from, to, entries };
  },
};
