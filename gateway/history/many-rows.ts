// Many narrow rows as one text: a driver needs several times as long for as many rows of their own.
import type { AsOf } from "./as-of.ts";

/**
 * The values of `columns` of all rows of `text`, row after row, as PostgreSQL writes them. No value may be null, empty or
 * hold a space. `read` is one of the ways in which rows are read as of a block.
 */
export async function readMany(
  read: AsOf["rows" | "prepared" | "unbatched"],
  { text, parameters }: { text: string; parameters: string[] },
  columns: readonly string[],
): Promise<string[]> {
  return valuesOf(await read<Row>(manyText(text, columns), parameters));
}

interface Row {
  many: string | null;
}

const manyText = (text: string, columns: readonly string[]): string =>
  `select string_agg(concat_ws(' ', ${columns.map((column) => `r.${column}`).join(", ")}), ' ') as many from (${text}) r`;

const valuesOf = ([row]: readonly Row[]): string[] => (row?.many ? row.many.split(" ") : []);
