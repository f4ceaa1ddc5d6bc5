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
  return valuesOf(await rows<Row>(manyText(text, columns), parameters));
}

/** The same of a `text` that stays the same from request to request, whatever its parameters are. */
export async function readManyPrepared(
  { prepared }: Pick<AsOf, "prepared">,
  { text, parameters }: { text: string; parameters: string[] },
  columns: readonly string[],
): Promise<string[]> {
  return valuesOf(await prepared<Row>(manyText(text, columns), parameters));
}

interface Row {
  many: string | null;
}

const manyText = (text: string, columns: readonly string[]): string =>
  `select string_agg(concat_ws(' ', ${columns.map((column) => `r.${column}`).join(", ")}), ' ') as many from (${text}) r`;

const valuesOf = ([row]: readonly Row[]): string[] => (row?.many ? row.many.split(" ") : []);
