// From ranges of blocks and time in a filter to the blocks whose facts are meant.

import type { BlockSpan } from "../../core/block-span.ts";
import type { Snapshot } from "../database/snapshot.ts";
import { InvalidInputError } from "../errors.ts";
import { blocksAt } from "../history/blocks-at.ts";
import type { BlockPoint } from "../history/point.ts";
import type { Filter } from "./filter-sql.ts";

interface Ends {
  from?: number | null;
  to?: number | null;
}

const NOTHING: BlockSpan = { from: 1, to: 0 };

/** Facts have no index by time, but blocks are in its order: two bisections give the range of blocks. */
async function spanOfTime(snapshot: Snapshot, { from, to }: Ends): Promise<BlockSpan> {
  const [before, last] = await blocksAt(snapshot, [(from ?? 0) - 1, to ?? Number.MAX_SAFE_INTEGER]);
  return last === undefined ? NOTHING : { from: (before ?? -1) + 1, to: last };
}

function requireOrder(name: string, { from, to }: Ends): void {
  if (typeof from === "number" && typeof to === "number" && from > to)
    throw new InvalidInputError(`where.${name}`, `from ${from} lies after to ${to}`);
}

/**
 * The blocks up to `point` that `where.block` and `where.timestamp` leave; empty when `from` is above `to`.
 * @throws InvalidInputError naming the range that is the wrong way round
 */
export async function spanOf(snapshot: Snapshot, point: BlockPoint, where: Filter): Promise<BlockSpan> {
  const block = (where.block ?? {}) as Ends;
  const timestamp = where.timestamp as Ends | null | undefined;
  requireOrder("block", block);
  requireOrder("timestamp", timestamp ?? {});
  const span = { from: block.from ?? 0, to: Math.min(block.to ?? point.block, point.block) };
  const isTimed = typeof timestamp?.from === "number" || typeof timestamp?.to === "number";
  if (!timestamp || !isTimed) return span;
  const timed = await spanOfTime(snapshot, timestamp);
  return { from: Math.max(span.from, timed.from), to: Math.min(span.to, timed.to) };
}
