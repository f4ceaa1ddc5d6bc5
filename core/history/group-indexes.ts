// SQL conditions of partial indexes, and of the texts that read by them: PostgreSQL uses such an index only where a text contains
// its condition.

const columnOf = (row: string | undefined, column: string): string => (row === undefined ? column : `${row}.${column}`);

// All rows meet the next two. On them are the indexes for reading a whole group, such as all holders of a token or all positions
// of an owner: otherwise, as plans are made for any token and most tokens have few holders, a lookup of one account would read all
// holders of its token.

/** The condition on intervals; without `row` the predicate of an index. */
export const isAnyInterval = (row?: string): string => `${columnOf(row, "lvl")} >= 0`;

/** The condition on current rows; without `row` the predicate of an index. */
export const isAnyCurrent = (row?: string): string => `${columnOf(row, "since")} >= 0`;

/** What a v3 position or token id must have to be worth anything; without `row` the predicate of an index. */
export const isLiveClaim = (row?: string): string =>
  `(${["liquidity", "tokens_owed0", "tokens_owed1"].map((column) => `${columnOf(row, column)} > 0`).join(" or ")})`;
