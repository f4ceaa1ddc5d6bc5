// The first half of every question about one token from one block to another.
import type { OperationContext } from "../context.ts";
import { InvalidInputError } from "../errors.ts";
import type { BlockChoice } from "../history/block-choice.ts";
import { type BlockPoint, pointOf } from "../history/point.ts";
import type { HoldingRange } from "../history/range-holdings.ts";
import { requirePast } from "../history/require-past.ts";
import type { Address } from "../parameters.ts";
import type { Cursor } from "./cursors.ts";
import { type LocatedToken, locateSoundToken } from "./locate-token.ts";

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
export function requireOrder({ from, to }: Pick<RangeInput, "from" | "to">, fromBlock: number, toBlock: number): void {
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
