// Many narrow rows as one text: a driver needs several times as long for as many rows of their own.
import type { AsOf } from "./as-of.ts";

/**
 * The values of `columns` of all rows of `text`, row after row, as PostgreSQL writes them. No value may be null, empty or
 * hold a space.
 */
export async function readMany(
  { rows }: Pick<AsOf, "rows">,
  { text, parameters }: { text: string; parameters?: string[] },
  columns: readonly string[],
): Promise<string[]> {
  const values = columns.map((column) => `r.${column}`).join(", ");
  const [row] = await rows<{ many: string | null }>(
    `select string_agg(concat_ws(' ', ${values}), ' ') as many from (${text}) r`,
    parameters,
  );
  return row?.many ? row.many.split(" ") : [];
}
