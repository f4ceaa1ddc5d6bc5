// The first half of every question from one block to another: about one token, at all blocks or at some evenly spaced ones, or about one
// v3 pool.

import type { V3Pool } from "../concentrated/pool.ts";
import { runningPool } from "../concentrated/pools-at.ts";
import type { OperationContext } from "../context.ts";
import { InvalidInputError } from "../errors.ts";
import { asOf } from "../history/as-of.ts";
import type { BlockChoice } from "../history/block-choice.ts";
import { type BlockPoint, pointOf, pointsOf } from "../history/point.ts";
import type { HoldingRange } from "../history/range-holdings.ts";
import { requirePast } from "../history/require-past.ts";
import type { Address } from "../parameters.ts";
import type { Cursor } from "./cursors.ts";
import { type LocatedToken, locateSoundToken, locateToken } from "./locate-token.ts";

export interface RangeInput {
  token: Address;
  from: BlockChoice;
  to: BlockChoice;
}

export interface LocatedRange {
  /** The token at the last block. */
  located: LocatedToken;
  from: BlockPoint;
  to: BlockPoint;
  holdings: HoldingRange;
}

const parameterOf = (choice: BlockChoice): string => (choice.kind === "latest" ? "from" : choice.parameter);

/** Times between two blocks mean the same block: they are compared by themselves, too. @throws InvalidInputError naming the first one's parameter */
function requireOrder({ from, to }: Pick<RangeInput, "from" | "to">, fromBlock: number, toBlock: number): void {
  if (from.kind === "timestamp" && to.kind === "timestamp" && from.timestamp > to.timestamp)
    throw new InvalidInputError(from.parameter, `${from.timestamp} lies after ${to.parameter}, ${to.timestamp}`, {
      toParameter: to.parameter,
    });
  if (fromBlock > toBlock)
    throw new InvalidInputError(
      parameterOf(from),
      `block ${fromBlock} lies after the last block of the range, ${toBlock}`,
      { toParameter: to.kind === "latest" ? "to" : to.parameter },
    );
}

/**
 * Both blocks in one snapshot; a cursor pins the last one.
 * @throws what locateToken throws; InvalidInputError naming the first block's parameter; TokenNotStandardError
 */
export async function locateRange(
  context: OperationContext,
  input: RangeInput & { cursor?: Cursor | undefined },
): Promise<LocatedRange> {
  const { token, from: first, to: last, cursor } = input;
  if (first.kind === "number" && last.kind === "number") requireOrder(input, first.number, last.number);
  const located = await locateSoundToken(context, { token, block: last, cursor });
  const { point: to } = located;
  const from = await pointOf(context, first);
  requireOrder(input, from.block, to.block);
  await requirePast(context.snapshot, from.block, to.block);
  const { fold } = context.snapshot;
  const holdings = { fold, assetId: located.token.assetId, from: from.block, to: to.block };
  return { located, from, to, holdings };
}

interface LocatedPool {
  /** At the last block. */
  pool: V3Pool;
  from: BlockPoint;
  to: BlockPoint;
}

/**
 * Both blocks in one snapshot; the pool may have been created between them.
 * @throws InvalidInputError naming the first block's parameter; PoolNotFoundError, PoolStoppedError; what pointOf throws
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

/** Blocks evenly spaced over a range. */
export interface SpreadInput {
  token: Address;
  from: BlockChoice;
  to: BlockChoice;
  /** How many blocks, from 1 up. */
  points: number;
}

interface SpreadRange {
  /** At the last block. */
  located: LocatedToken;
  /** Ascending. */
  sampled: readonly BlockPoint[];
}

/**
 * From the first to the last block of the range, both included; all where there are not more.
 * @throws InvalidInputError naming `from`; what locateToken throws
 */
export async function spreadRange(
  context: OperationContext,
  { token, from, to, points }: SpreadInput,
): Promise<SpreadRange> {
  const located = await locateToken(context, { token, block: to });
  const last = located.point;
  const first = await pointOf(context, from);
  requireOrder({ from, to }, first.block, last.block);
  const sampled = await pointsOf(context.snapshot, last, spread(first.block, last.block, points));
  return { located, sampled: [...sampled.values()] };
}

/** Blocks from `first` to `last`, both included, evenly spaced: as many as `points`, all where there are not more. */
export function spread(first: number, last: number, points: number): number[] {
  if (points === 1) return [last];
  const steps = Math.min(points - 1, last - first);
  const blocks = Array.from({ length: steps + 1 }, (_, i) => first + Math.round(((last - first) * i) / (steps || 1)));
  return [...new Set(blocks)];
}
