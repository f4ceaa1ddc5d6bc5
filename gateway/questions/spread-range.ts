// Blocks evenly spaced over a range, for questions about one token at several of them.
import type { OperationContext } from "../context.ts";
import type { BlockChoice } from "../history/block-choice.ts";
import { type BlockPoint, pointOf, pointsOf } from "../history/point.ts";
import type { Address } from "../parameters.ts";
import { requireOrder } from "./locate-range.ts";
import { type LocatedToken, locateToken } from "./locate-token.ts";

export interface SpreadInput {
  token: Address;
  from: BlockChoice;
  to: BlockChoice;
  /** How many blocks, from 1 up. */
  points: number;
}

export interface SpreadRange {
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
