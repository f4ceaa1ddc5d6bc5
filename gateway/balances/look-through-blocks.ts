// What stands behind a token's holders at several blocks, one after the other. Several are looked through together, as many as there is
// room for what they give.
import type { OperationContext } from "../context.ts";
import type { BlockPoint } from "../history/point.ts";
import { requireTime } from "../history/require-time.ts";
import { readTogether } from "../history/shared-statements.ts";
import type { Address } from "../parameters.ts";
import { behindUnknown } from "./behind-unknown.ts";
import { type LookedThrough, lookThrough, type TokenAtBlock } from "./look-through.ts";

export interface TokenAtBlocks {
  token: TokenAtBlock["token"];
  /** Ascending. */
  points: readonly BlockPoint[];
}

export type LookedAt = TokenAtBlock & { through: LookedThrough };

/** Blocks looked through together: this many first, then as many as fit into memory with their results. */
const FIRST_TOGETHER = 3;
const MOST_TOGETHER = 25;
const MOST_PARTS = 100_000;

/** In the order of `points`. @throws RequestTooLongError */
export async function* lookThroughBlocks(
  context: OperationContext,
  { token, points }: TokenAtBlocks,
): AsyncGenerator<LookedAt, undefined> {
  let together = FIRST_TOGETHER;
  for (let next = 0; next < points.length; ) {
    requireTime(context);
    const found = await readTogether(context, points.slice(next, next + together), async (point) => {
      const held = { token, point };
      return { ...held, through: await lookThrough(context, held, { isWhole: false }) };
    });
    yield* found;
    next += found.length;
    const parts = Math.max(...found.map(({ through }) => through.parts.size));
    together = Math.min(Math.max(Math.floor(MOST_PARTS / (parts + 1)), 1), MOST_TOGETHER);
  }
  return undefined;
}

/**
 * Contracts whose holding of the token cannot be attributed to accounts, by block; blocks without any are left out. All blocks are looked
 * through only where some contract of unknown state may hold the token.
 * @throws RequestTooLongError
 */
export async function incompleteAtBlocks(
  context: OperationContext,
  of: TokenAtBlocks,
): Promise<ReadonlyMap<number, readonly Address[]>> {
  const incomplete = new Map<number, readonly Address[]>();
  const last = of.points.at(-1);
  if (!last || !(await behindUnknown(context, last)).tokens.has(of.token.address)) return incomplete;
  for await (const { point, through } of lookThroughBlocks(context, of))
    if (through.incomplete.length > 0) incomplete.set(point.block, through.incomplete);
  return incomplete;
}
