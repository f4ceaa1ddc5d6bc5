// COPY … FROM STDIN: how rows computed here reach the database.
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Sql } from "postgres";

/** A byte string as a field of COPY's text format. `hex` begins with 0x. */
export const copyBytes = (hex: string): string => `\\\\x${hex.slice(2)}`;

/** `lines`: rows in COPY's text format, each ended by a newline, in pieces of any size. `target`: table (columns). */
export async function copyRows(db: Sql, target: string, lines: Iterable<string | Buffer>): Promise<void> {
  const sink = await db.unsafe(`copy ${target} from stdin`).writable();
  await pipeline(Readable.from(lines, { objectMode: false }), sink);
}
