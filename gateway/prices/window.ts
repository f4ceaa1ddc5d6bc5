// The time that a price is an average over: the half hour before a block.
import type { PoolMoment, PricingPool, Span } from "../../core/prices/mean-price.ts";
import type { Snapshot } from "../database/snapshot.ts";
import { blockAt } from "../history/blocks-at.ts";
import type { HistoryRange } from "../history/history-ranges.ts";
import { type BlockPoint, requireTimestamp } from "../history/point.ts";

/** Length of the mean. */
export const MEAN_SECONDS = 1_800;

export interface PriceWindow {
  /** The block that was the last one when the span began; -1 when there was none. */
  first: number;
  /** The blocks that matter, ascending and apart, from `first` on. */
  ranges: readonly HistoryRange[];
  /** The earliest block whose prices are asked for. */
  earliest: number;
  /** Unix seconds at which a block of the window began to hold; of blocks up to `first` the span's beginning. */
  timeOf(block: number): number;
}

/** What a pool went through in a window, with the block at whose end each moment began: several blocks may have one time. */
export interface WindowedPool extends PricingPool {
  moments: readonly (PoolMoment & { block: number })[];
}

/** @throws UnavailableError while the block's own row is cut back */
export async function windowAt(snapshot: Snapshot, point: BlockPoint): Promise<PriceWindow & { span: Span }> {
  const { block, timestamp } = requireTimestamp(point);
  const span = { from: timestamp - MEAN_SECONDS, to: timestamp };
  const first = (await blockAt(snapshot, span.from)) ?? -1;
  const rows = await snapshot.prepared<{ number: number; timestamp: number }>(
    `select number, timestamp from ${snapshot.fold}.block where number > $1::int4 and number <= $2::int4`,
    [String(first), String(block)],
  );
  const times = new Map(rows.map((row) => [row.number, row.timestamp]));
  return {
    span,
    first,
    ranges: [{ first, last: block }],
    earliest: block,
    timeOf: (at) => (at <= first ? span.from : (times.get(at) ?? span.from)),
  };
}
