// Rows of PostgreSQL as CSV files of bounded size: its own COPY, whose rows are passed on as they come.
import { type FileHandle, open, rm } from "node:fs/promises";
import { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Sql } from "postgres";
import { readCopy } from "../database/copies.ts";

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

/**
 * PostgreSQL sends one row at a time, and those that wait are gathered: files end at the end of a row. Rows that come after a
 * failure are dropped, as a connection in the middle of COPY can do nothing else.
 */
class RowFiles extends Writable {
  /** What went wrong first. */
  failure: unknown;
  readonly #target: CsvFiles;
  #handle: FileHandle | undefined;
  #bytes = 0;
  #file = "";
  #count = 0;
  #work: Promise<void> = Promise.resolve();

  constructor(target: CsvFiles) {
    super({ highWaterMark: 4_000_000 });
    this.#target = target;
  }

  override _write(rows: Buffer, _encoding: string, done: () => void): void {
    void this.#unlessFailed(() => this.#append(rows)).then(done);
  }

  override _writev(chunks: { chunk: Buffer }[], done: () => void): void {
    void this.#unlessFailed(() => this.#append(Buffer.concat(chunks.map(({ chunk }) => chunk)))).then(done);
  }

  override _final(done: () => void): void {
    void this.#unlessFailed(() => this.#finish()).then(done);
  }

  /** After the last row, or when the rest of the rows was lost: then no part of a file is left. */
  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    void this.#work.then(() => this.#removePart()).then(() => done(error));
  }

  #unlessFailed(work: () => Promise<void>): Promise<void> {
    this.#work = this.#attempt(work);
    return this.#work;
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    if (this.failure !== undefined) return;
    try {
      await work();
    } catch (error) {
      this.failure = error;
      await this.#removePart();
    }
  }

  async #removePart(): Promise<void> {
    if (this.#handle === undefined) return;
    await this.#handle.close().catch(() => {});
    await rm(this.#file, { force: true }).catch(() => {});
    this.#handle = undefined;
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

/** `text`: a SELECT. No file is made where there are no rows. @throws errors of PostgreSQL, the disk or `take` */
export async function copyOut(db: Sql, text: string, target: CsvFiles): Promise<void> {
  const files = new RowFiles(target);
  await readCopy(db, `copy (${text}) to stdout (format csv, null '${CSV_NULL}')`, (rows) => pipeline(rows, files));
  if (files.failure !== undefined) throw files.failure;
}
