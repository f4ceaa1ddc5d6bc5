// Which facts changed the state at the end of one block into that at the end of another.

/** Blocks with `after < block <= upTo`. */
export interface BlocksAfter {
  after: number;
  upTo: number;
}

/** The same in a statement: numbers, or SQL of them such as `$1`. */
export type BlocksAfterSql = Readonly<Record<keyof BlocksAfter, number | string>>;

/** Tables have blocks as int4: none comes after it. */
export const LAST_BLOCK: number = 2 ** 31 - 1;
