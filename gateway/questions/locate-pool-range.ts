// The first half of every question about one v3 pool from one block to another.

import type { V3Pool } from "../concentrated/pool.ts";
import { runningPool } from "../concentrated/pools-at.ts";
import type { OperationContext } from "../context.ts";
import { asOf } from "../history/as-of.ts";
import type { BlockChoice } from "../history/block-choice.ts";
import { type BlockPoint, pointOf } from "../history/point.ts";
import type { Address } from "../parameters.ts";
import { requireOrder } from "./locate-range.ts";

export interface LocatedPool {
  /** At the last block. */
  pool: V3Pool;
  from: BlockPoint;
  to: BlockPoint;
}

/**
 * Both blocks in one snapshot; the pool may have been created between them.
 * @throws InvalidInputError naming the first block's parameter; PoolNotFoundError, PoolStoppedError; what fixBlock throws
 */
export async function locatePoolRange(
  context: OperationContext,
  input: { pool: Address; from: BlockChoice; to: BlockChoice },
): Promise<LocatedPool> {
  const to = await pointOf(context, input.to);
  const from = await pointOf(context, input.from);
  requireOrder(input, from.block, to.block);
  return { pool: await runningPool(asOf(context.snapshot, to), input.pool), from, to };
}
