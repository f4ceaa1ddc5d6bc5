// Blocks from one to another.

/** Both included. */
export interface BlockSpan {
  from: number;
  to: number;
}
