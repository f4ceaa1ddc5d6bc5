// How rows reach the database: COPY for many, one INSERT for few of those computed here, from the same text.
import type { Sql } from "postgres";
import { writeCopy } from "../../database/copies.ts";

/** Up to here COPY's extra round trips cost more than the server's parsing of literals. */
const FEW_ROWS = 50;

/** A byte string as a field of COPY's text format. `hex` begins with 0x. */
export const copyBytes = (hex: string): string => `\\\\x${hex.slice(2)}`;

export const COPY_NULL = "\\N";

/**
 * Rows in COPY's text format, each ended by a newline, in pieces of any size. Fields are numbers, words and byte
 * strings: nothing in them needs escaping but the backslash of {@link copyBytes} and {@link COPY_NULL}.
 */
export interface CopyLines {
  count: number;
  pieces: readonly (string | Buffer)[];
}

const literal = (field: string): string =>
  field === COPY_NULL ? "null" : `'${field.startsWith("\\\\") ? field.slice(1) : field}'`;

const literals = (pieces: CopyLines["pieces"]): string =>
  pieces
    .join("")
    .trimEnd()
    .split("\n")
    .map((line) => `(${line.split("\t").map(literal).join(", ")})`)
    .join(", ");

/** `target`: table (columns), as many as each line has fields. */
export async function copyRows(db: Sql, target: string, { count, pieces }: CopyLines): Promise<void> {
  if (count === 0) return;
  if (count <= FEW_ROWS) {
    await db.unsafe(`insert into ${target} values ${literals(pieces)}`);
    return;
  }
  await writeCopy(db, `copy ${target} from stdin`, pieces);
}
