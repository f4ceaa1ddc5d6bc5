// Addresses as answers write them.

/** SELECT list of bytea columns as 0x and hex digits, under their own names. */
export const hexColumns = (columns: readonly string[]): string =>
  columns.map((column) => `'0x' || encode(${column}, 'hex') as ${column}`).join(", ");
