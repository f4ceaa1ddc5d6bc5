// How the lake is cut: by final blocks and by what the chain says alone, so that everybody cuts it at the same blocks.

/** Inclusive on both ends. */
export interface Segment {
  first: number;
  last: number;
}

export interface SegmentRule {
  /** A segment may end before a multiple of this number of blocks. */
  segmentBlocks: number;
  /** It has at least this many transfers. */
  segmentTransfers: number;
}

/** Blocks up to and including `last`, the end of one that a segment may end with, and the transfers of these blocks. */
export interface TransferWindow {
  last: number;
  transfers: number;
}

/** The last block up to `finalized` that a segment may end with; -1: none. */
export const lastBoundary = ({ segmentBlocks }: SegmentRule, finalized: number): number =>
  Math.floor((finalized + 1) / segmentBlocks) * segmentBlocks - 1;

/**
 * The last block of the segment that follows one with `openHoldings` rows open at its end; undefined while it is not full.
 * Rows that stay open are written again with each segment: where there are many, segments are longer, so that what is written
 * stays in proportion to what happens. `windows` follow that segment, in order; those without transfers may be left out.
 */
export function segmentEnd(
  windows: readonly TransferWindow[],
  { segmentTransfers }: SegmentRule,
  openHoldings: number,
): number | undefined {
  const enough = Math.max(segmentTransfers, openHoldings);
  let transfers = 0;
  for (const window of windows) {
    transfers += window.transfers;
    if (transfers >= enough) return window.last;
  }
  return undefined;
}
