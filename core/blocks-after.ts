// Which facts changed the state at the end of one block into that at the end of another.

/** Blocks with `after < block <= upTo`. */
export interface BlocksAfter {
  after: number;
  upTo: number;
}
