// The seven days before a block, in blocks.
import { WEEK } from "../../core/vaults/apr.ts";
import type { Snapshot } from "../database/snapshot.ts";
import { blockAt } from "../history/blocks-at.ts";
import { type BlockPoint, pointsOf, requireTimestamp, type TimedPoint } from "../history/point.ts";

export interface TrailingWeek {
  /** The block asked, whose time is known. */
  end: TimedPoint;
  /** The last block at or before the same time a week ago; undefined where there was none. */
  start: BlockPoint | undefined;
  /** Facts of the week are those with `after < block <= end.block`. */
  after: number;
}

/** @throws UnavailableError while the block's own row is cut back */
export async function trailingWeek(snapshot: Snapshot, point: BlockPoint): Promise<TrailingWeek> {
  const end = requireTimestamp(point);
  const block = await blockAt(snapshot, end.timestamp - WEEK);
  if (block === undefined) return { end, start: undefined, after: -1 };
  const start = (await pointsOf(snapshot, point, [block])).get(block);
  return { end, start, after: block };
}
