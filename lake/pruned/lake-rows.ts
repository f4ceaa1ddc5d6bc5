// Closed intervals out of the lake's files, which are compared with the manifest before anything is read from them.
import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { HistoryDatasets } from "../../core/lake/datasets.ts";
import { literal } from "../../core/sql-literal.ts";
import { HistoryDamagedError } from "../../gateway/lake/lake-errors.ts";
import { wrongOf } from "../check-lake.ts";
import { CSV_NULL } from "../copy-out.ts";
import { type Duck, listedNames } from "../duck.ts";
import type { FileEntry, SegmentEntry } from "../manifest.ts";

/** The file of a segment's closed rows; undefined: it has none. */
const closedFile = ({ closed }: HistoryDatasets, { files }: SegmentEntry): FileEntry | undefined =>
  files.find(({ dataset }) => dataset === closed.name);

/** What the file system says of a file: it changes with the file. */
async function marksOf(path: string): Promise<string> {
  const { dev, ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
  return [dev, ino, size, mtimeNs, ctimeNs].join(" ");
}

export class LakeRows {
  /** The lake's folder of the chain. */
  readonly folder: string;
  /** Files that were right, by path. */
  readonly #verified = new Map<string, string>();

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Reads the whole file the first time, and again whenever it may be another file. @throws HistoryDamagedError */
  async verify(file: FileEntry): Promise<void> {
    const place = join(this.folder, file.path);
    const before = await marksOf(place).catch(() => "none");
    if (this.#verified.get(file.path) === `${before} ${file.sha256}`) return;
    const found = await wrongOf(this.folder, file);
    if (found !== undefined) throw new HistoryDamagedError(file.path, found);
    this.#verified.set(file.path, `${before} ${file.sha256}`);
  }

  /** DuckDB's FROM item of a segment's closed rows; undefined: there are none. @throws HistoryDamagedError */
  async closedRows(of: HistoryDatasets, segments: readonly SegmentEntry[]): Promise<string | undefined> {
    const files = segments.map((segment) => closedFile(of, segment)).filter((file) => file !== undefined);
    for (const file of files) await this.verify(file);
    if (files.length === 0) return undefined;
    return `read_parquet([${files.map(({ path }) => literal(join(this.folder, path))).join(", ")}])`;
  }

  /**
   * Writes the rows of `segments` that began by the end of `last` as CSV for COPY. Resolves to whether there are any.
   * @throws HistoryDamagedError
   */
  async writeBegun(
    duck: Duck,
    { of, segments, last, csv }: { of: HistoryDatasets; segments: readonly SegmentEntry[]; last: number; csv: string },
  ): Promise<boolean> {
    const mayHave = segments.filter((segment) => Number(closedFile(of, segment)?.min.from_block ?? Infinity) <= last);
    const from = await this.closedRows(of, mayHave);
    if (from === undefined) return false;
    await duck.run(
      `copy (select ${listedNames(of.closed.columns)} from ${from} where from_block <= ${last})
         to ${literal(csv)} (format csv, header false, nullstr ${literal(CSV_NULL)})`,
    );
    return true;
  }
}
