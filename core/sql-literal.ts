/** SQL literal of a text; its type is for the statement to say. */
export const literal = (value: unknown): string => `'${String(value).replaceAll("'", "''")}'`;
