// Who held how much of a token at each of several blocks.
import { z } from "zod";
import { incompleteAtBlocks } from "../balances/look-through-blocks.ts";
import { type TotalAtBlock, totalsAtBlocks } from "../balances/totals-at-blocks.ts";
import type { Operation, OperationContext } from "../context.ts";
import { InvalidInputError } from "../errors.ts";
import { blockNumbered } from "../history/block-choice.ts";
import { type BlockPoint, pointOf } from "../history/point.ts";
import { requirePast } from "../history/require-past.ts";
import { type Address, wholeNumber } from "../parameters.ts";
import { type LocatedToken, locateSoundToken } from "./locate-token.ts";

/** Every block is looked through by itself. */
export const MOST_BLOCKS = 100;
/** Amounts of users at all blocks together, where they are written as they are read. */
export const MOST_AMOUNTS = 100_000;
/** The same where all are in memory before the first is written. */
export const MOST_HELD = 10_000;

/** Distinct, ascending. */
export const blockNumbers = z
  .array(wholeNumber(0, Number.MAX_SAFE_INTEGER), "must be a list of block numbers, e.g. [1200, 1300]")
  .min(1, "must name at least one block")
  .max(MOST_BLOCKS, `must name at most ${MOST_BLOCKS} blocks; ask again for the others`)
  .transform((list) => [...new Set(list)].sort((a, b) => a - b));

export interface BalancesAtBlocksInput {
  token: Address;
  /** As {@link blockNumbers} gives them. */
  blocks: readonly number[];
  /** Distinct, lower case; without it all who have a total above zero, at each block. */
  users?: readonly Address[] | undefined;
}

interface LocatedBlocks {
  /** The token at the last block. */
  located: LocatedToken;
  points: readonly BlockPoint[];
}

interface BalancesAtBlocksRows extends LocatedBlocks {
  /** Contracts whose holding of the token cannot be attributed to accounts, at some of the blocks. */
  incomplete: readonly Address[];
  /** By block, ascending; at each in the order of `users`, or largest first. */
  batches: AsyncIterator<TotalAtBlock[]>;
}

interface BalancesAtBlock {
  point: BlockPoint;
  /** Raw units, all sources together; in the order of `users`. */
  entries: { account: Address; amount: bigint }[];
  /** Contracts whose holding of the token cannot be attributed to accounts. */
  incomplete: readonly Address[];
}

export interface BalancesAtBlocks extends LocatedBlocks {
  blocks: BalancesAtBlock[];
}

export const atBlock = (number: number) => blockNumbered(number, "blocks");

/** @throws InvalidInputError naming `blocks` */
function requireFew({ blocks, users = [] }: BalancesAtBlocksInput, most: number): void {
  const amounts = blocks.length * users.length;
  if (amounts > most)
    throw new InvalidInputError(
      "blocks",
      `${users.length} users at ${blocks.length} blocks are ${amounts} amounts; ask for at most ${most} at once`,
    );
}

/** @throws InvalidInputError naming `blocks` where the users at all blocks are more than `most` amounts */
async function open(context: OperationContext, input: BalancesAtBlocksInput, most: number) {
  const { token, blocks, users } = input;
  requireFew(input, most);
  const located = await locateSoundToken(context, { token, block: atBlock(blocks.at(-1) ?? 0) });
  const points: BlockPoint[] = [];
  for (const block of blocks) {
    const point = await pointOf(context, atBlock(block));
    await requirePast(context.snapshot, point.block);
    points.push(point);
  }
  await context.snapshot.open();
  const of = { token: located.token, points, users };
  return { located, points, of, incomplete: await incompleteAtBlocks(context, of) };
}

/**
 * The caller takes the batches before it closes the snapshot; how long that takes is the reader's, and no limit of the request.
 * @throws what locateToken throws; TokenNotStandardError; RequestTooLongError; InvalidInputError naming `blocks`
 */
export const balancesAtBlocksRows: Operation<BalancesAtBlocksInput, BalancesAtBlocksRows> = {
  name: "balancesAtBlocks",
  async run(input, context) {
    const { of, incomplete: byBlock, ...located } = await open(context, input, MOST_AMOUNTS);
    const incomplete = [...new Set([...byBlock.values()].flat())].sort();
    const { until: _, ...unlimited } = context;
    return { ...located, incomplete, batches: totalsAtBlocks(unlimited, of) };
  },
};

/** The same of users, by block. @throws RequestTooLongError too */
export const balancesAtBlocks: Operation<BalancesAtBlocksInput & { users: readonly Address[] }, BalancesAtBlocks> = {
  name: "balancesAtBlocks",
  async run(input, context) {
    const { of, incomplete, ...located } = await open(context, input, MOST_HELD);
    const blocks = located.points.map(
      (point): BalancesAtBlock => ({ point, entries: [], incomplete: incomplete.get(point.block) ?? [] }),
    );
    const byNumber = new Map(blocks.map((one) => [one.point.block, one.entries]));
    for await (const batch of totalsAtBlocks(context, of))
      for (const { block, account, amount } of batch) byNumber.get(block)?.push({ account, amount });
    return { ...located, blocks };
  },
};
