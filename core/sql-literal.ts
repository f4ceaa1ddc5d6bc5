// Text inside statements of PostgreSQL and DuckDB.

/** A literal of `value` as text; the statement decides its type. */
export const literal = (value: unknown): string => `'${String(value).replaceAll("'", "''")}'`;
