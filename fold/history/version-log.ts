// Versions that reducers give, collected and written together: as recent rows, or merged into final history.
import type { Sql } from "postgres";
import { type History, keyColumns, listed, valueColumns } from "../../core/history/history.ts";
import { type CopyLines, copyRows } from "../copy-rows.ts";
import { besideCurrent, mergeVersions } from "./merge.ts";

/** Where versions belong: final history, or the tables of blocks that may still be replaced. */
export type Standing = "final" | "recent";

/** From here on the planner should know how many rows it joins. */
const MANY_ROWS = 2_000;

/** COPY lines, packed now and then to keep them small. */
class PackedLines {
  #pieces: Buffer[] = [];
  #lines: string[] = [];
  #count = 0;

  add(line: string): void {
    this.#count += 1;
    if (this.#lines.push(line) === 4_096) this.#pack();
  }

  take(): CopyLines {
    this.#pack();
    const taken = { count: this.#count, pieces: this.#pieces };
    this.#pieces = [];
    this.#count = 0;
    return taken;
  }

  #pack(): void {
    if (this.#lines.length > 0) this.#pieces.push(Buffer.from(this.#lines.join("")));
    this.#lines = [];
  }
}

const columnsOf = (history: History): string[] => [...keyColumns(history), "block", ...valueColumns(history)];

/** Temporary table of the session for versions on their way into final history; it empties itself at every commit. */
const stagingOf = ({ name }: History): string => `${name}_version`;

export class VersionLog {
  readonly #histories: readonly History[];
  readonly #lines: ReadonlyMap<History, PackedLines>;
  #hasStaging = false;

  constructor(histories: readonly History[]) {
    this.#histories = histories;
    this.#lines = new Map(histories.map((history) => [history, new PackedLines()]));
  }

  /** `fields`: key, block and values as COPY writes them, in the order of the declaration; one per entity and block. */
  add(history: History, fields: readonly (string | number | bigint)[]): void {
    this.#lines.get(history)?.add(`${fields.join("\t")}\n`);
  }

  /** Forgets what was added and not written, after a batch that failed: the tables that it made are gone with it. */
  clear(): void {
    for (const lines of this.#lines.values()) lines.take();
    this.#hasStaging = false;
  }

  /** Writes and forgets everything, inside the caller's transaction; returns the number of versions. */
  async write(db: Sql, s: string, standing: Standing): Promise<number> {
    if (standing === "final" && !this.#hasStaging) await this.#prepare(db, s);
    let written = 0;
    for (const history of this.#histories) {
      const lines = this.#lines.get(history)?.take();
      if (!lines || lines.count === 0) continue;
      written += lines.count;
      const table = standing === "recent" ? `${s}.${history.name}_recent` : stagingOf(history);
      await copyRows(db, `${table} (${listed(columnsOf(history))})`, lines);
      if (standing === "recent") continue;
      if (lines.count > MANY_ROWS) await db.unsafe(`analyze ${table}`);
      await mergeVersions(db, s, { history, versions: `(${besideCurrent(s, history, table)})` });
    }
    return written;
  }

  async #prepare(db: Sql, s: string): Promise<void> {
    for (const history of this.#histories)
      await db.unsafe(
        `create temp table if not exists ${stagingOf(history)} (like ${s}.${history.name}_recent) on commit delete rows`,
      );
    this.#hasStaging = true;
  }
}
