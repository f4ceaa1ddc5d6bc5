// SQL conditions that all rows meet. The indexes by which all of a group is read, such as all holders of a token or all positions of
// an owner, hold what meets them: PostgreSQL then reads these indexes for texts alone that say so. Planned for any token, where most
// have few holders, a seek of one account would otherwise read all that its token has.

const columnOf = (row: string | undefined, column: string): string => (row === undefined ? column : `${row}.${column}`);

/** Of intervals; without `row` the predicate of an index. */
export const isAnyInterval = (row?: string): string => `${columnOf(row, "lvl")} >= 0`;

/** Of current rows; without `row` the predicate of an index. */
export const isAnyCurrent = (row?: string): string => `${columnOf(row, "since")} >= 0`;
