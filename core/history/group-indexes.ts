// SQL conditions that all rows meet. Indexes for reading a whole group, such as all holders of a token or all positions of an owner,
// are partial indexes on them: so PostgreSQL uses these indexes only for texts that contain the condition. Otherwise, as plans are
// made for any token and most tokens have few holders, a lookup of one account would read all holders of its token.

const columnOf = (row: string | undefined, column: string): string => (row === undefined ? column : `${row}.${column}`);

/** The condition on intervals; without `row` the predicate of an index. */
export const isAnyInterval = (row?: string): string => `${columnOf(row, "lvl")} >= 0`;

/** The condition on current rows; without `row` the predicate of an index. */
export const isAnyCurrent = (row?: string): string => `${columnOf(row, "since")} >= 0`;
