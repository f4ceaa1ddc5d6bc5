// Text inside statements of PostgreSQL and DuckDB.

/** A literal of `value` as text; what type it is of is for the statement to say. */
export const literal = (value: unknown): string => `'${String(value).replaceAll("'", "''")}'`;
