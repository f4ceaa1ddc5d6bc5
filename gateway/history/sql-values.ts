// Values on their way into statements and out of them: lists in one parameter, so that a text stays the same for any list; and
// addresses as answers write them.

/**
 * SQL of the array that parameter `$number` holds, with commas between. Read by a sub-select: otherwise PostgreSQL counts the
 * list before it plans, finds a plan for so few items cheaper than one for any list, and plans the statement again every time.
 */
export const listParameter = (number: number, type: "text" | "int4" | "numeric" = "text"): string =>
  `(select string_to_array($${number}, ','))::${type}[]`;

/** SQL of a list of addresses (bytea) for `in`, from parameter `$number`, which holds them with commas between. */
export const addressesParameter = (number: number): string =>
  `(select decode(substr(a, 3), 'hex') from unnest(${listParameter(number)}) a)`;

/** SELECT list of bytea columns as 0x and hex digits, under their own names. */
export const hexColumns = (columns: readonly string[]): string =>
  columns.map((column) => `'0x' || encode(${column}, 'hex') as ${column}`).join(", ");
