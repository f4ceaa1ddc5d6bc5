// Lists in a statement's parameter, so that its text stays the same for any list.

/**
 * SQL of the array that parameter `$number` holds, with commas between. Read by a sub-select: PostgreSQL would count the list
 * before it plans, take a plan for so few for cheaper than one for any list, and plan the statement anew every time.
 */
export const listParameter = (number: number, type: "text" | "int4" | "numeric" = "text"): string =>
  `(select string_to_array($${number}, ','))::${type}[]`;
