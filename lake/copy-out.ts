// Rows of PostgreSQL as CSV files of bounded size: its own COPY, whose rows nobody looks at on their way.
import { createWriteStream } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Sql } from "postgres";

/** What stands for null: nothing in the lake begins with a backslash. */
export const CSV_NULL = "\\N";

const LARGEST_FILE_BYTES = 256_000_000;

export interface CsvFiles {
  /** Where the files are written; the name of each begins with `name`. */
  folder: string;
  name: string;
  /** Gets each file when it is whole, and removes it in the end. */
  take: (file: string) => Promise<void>;
}

/** PostgreSQL sends one row at a time, and `pipeline` gathers those that wait: files end at the end of a row. */
class RowFiles extends Writable {
  readonly #target: CsvFiles;
  #handle: FileHandle | undefined;
  #bytes = 0;
  #file = "";
  #count = 0;

  constructor(target: CsvFiles) {
    super({ highWaterMark: 4_000_000, decodeStrings: true });
    this.#target = target;
  }

  override _write(rows: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#append(rows).then(() => done(), done);
  }

  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this.#append(Buffer.concat(chunks.map(({ chunk }) => chunk))).then(() => done(), done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#finish().then(() => done(), done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    const closed = this.#handle?.close() ?? Promise.resolve();
    closed.then(
      () => done(error),
      () => done(error),
    );
  }

  async #append(rows: Buffer): Promise<void> {
    if (this.#handle === undefined) {
      this.#file = `${this.#target.folder}/${this.#target.name}-${this.#count++}.csv`;
      this.#handle = await open(this.#file, "w");
    }
    await this.#handle.appendFile(rows);
    this.#bytes += rows.length;
    if (this.#bytes >= LARGEST_FILE_BYTES) await this.#finish();
  }

  async #finish(): Promise<void> {
    if (this.#handle === undefined) return;
    await this.#handle.close();
    this.#handle = undefined;
    this.#bytes = 0;
    await this.#target.take(this.#file);
  }
}

/** `text`: a SELECT. No file is made where there are no rows. */
export const copyOut = (db: Sql, text: string, target: CsvFiles): Promise<void> => copy(db, text, new RowFiles(target));

/** All rows of `text`, a SELECT, in one file, which is made in any case. */
export const copyToFile = (db: Sql, text: string, file: string): Promise<void> =>
  copy(db, text, createWriteStream(file));

async function copy(db: Sql, text: string, target: Writable): Promise<void> {
  const rows = await db.unsafe(`copy (${text}) to stdout (format csv, null '${CSV_NULL}')`).readable();
  await pipeline(rows, target);
  // postgres.js pauses its socket while the reader is full, and leaves it so where the last rows filled it
  rows._read(0);
}
