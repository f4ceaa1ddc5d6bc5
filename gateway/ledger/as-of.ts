// Reading the fold's tables as of one block: what every as-of read is given.
import type { BlockPoint } from "./point.ts";
import { readRows, readShared } from "./shared-statements.ts";
import type { Snapshot } from "./snapshot.ts";

export interface AsOf {
  /** Quoted name of the fold's schema. */
  fold: string;
  point: BlockPoint;
  /** Where the tables are read: the block, or the watermark when the block lies above it. */
  folded: number;
  rows<T extends object>(text: string, parameters?: string[]): Promise<T[]>;
  /** The same of a text that does not change from request to request: see `Connection.prepared`, and `readTogether`. */
  prepared<T extends object>(text: string, parameters: string[]): Promise<T[]>;
}

/** `snapshot` must be open. */
export const asOf = (snapshot: Snapshot, point: BlockPoint): AsOf => ({
  fold: snapshot.schemas.fold,
  point,
  folded: Math.min(point.block, point.watermark),
  rows: (text, parameters) => readRows(snapshot, text, parameters),
  prepared: (text, parameters) => readShared(snapshot, text, parameters),
});

/** The longest class of intervals there can be: none is longer than the chain. */
export const longestClass = ({ point: { watermark } }: Pick<AsOf, "point">): number =>
  31 - Math.clz32(Math.max(watermark, 1));
