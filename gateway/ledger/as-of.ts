// Reading the fold's tables as of one block: what every as-of read is given.
import type { BlockPoint } from "./point.ts";
import type { Snapshot } from "./snapshot.ts";

export interface AsOf {
  /** Quoted name of the fold's schema. */
  fold: string;
  point: BlockPoint;
  /** Where the tables are read: the block, or the watermark when the block lies above it. */
  folded: number;
  rows<T extends object>(text: string, parameters?: string[]): Promise<T[]>;
  /** The same of a text that does not change from request to request: see `Connection.prepared`. */
  prepared<T extends object>(text: string, parameters: string[]): Promise<T[]>;
}

/** `snapshot` must be open. */
export const asOf = (snapshot: Snapshot, point: BlockPoint): AsOf => ({
  fold: snapshot.schemas.fold,
  point,
  folded: Math.min(point.block, point.watermark),
  rows: (text, parameters) => snapshot.rows(text, parameters),
  prepared: (text, parameters) => snapshot.prepared(text, parameters),
});
