// Collects the versions that reducers give and writes them together: as recent rows, or into final history. Among an entity's final
// versions only the first and the last concern rows that are stored already, and are merged; each one in between is ended by the next.
import type { Sql } from "postgres";
import { durationClass } from "../../core/history/duration-class.ts";
import { type History, keyColumns, listed, valueColumns } from "../../core/history/history.ts";
import { COPY_NULL, copyBytes, copyRows } from "./copy-rows.ts";
import { besideCurrent, mergeVersions } from "./merge.ts";
import { PackedLines } from "./packed-lines.ts";

/** Where versions belong: final history, or the tables of blocks that may still be replaced. */
export type Standing = "final" | "recent";

/** Fields as COPY writes them. */
export type Fields = readonly (string | number | bigint)[];

/** From here on the planner should know how many rows it joins. */
const MANY_ROWS = 2_000;

/** The last final version of an entity, until the next one is there. */
interface Newest {
  block: number;
  values: string;
  isFirst: boolean;
  isSomething: boolean;
}

/** Temporary table of the session for versions on their way into final history; it empties itself at every commit. */
const stagingOf = ({ name }: History): string => `${name}_version`;

/** What was collected of one history. */
class Collected {
  readonly history: History;
  readonly #keys: number;
  /** The field that shows whether the entity is something, and its value where it is nothing. */
  readonly #nothing: { at: number; field: string } | undefined;
  readonly #recent = new PackedLines();
  readonly #closed = new PackedLines();
  readonly #staged = new PackedLines();
  /** By key. */
  #newest = new Map<string, Newest>();
  #count = 0;

  constructor(history: History) {
    this.history = history;
    const { nothing } = history;
    this.#keys = keyColumns(history).length;
    this.#nothing = nothing && {
      at: this.#keys + 1 + valueColumns(history).indexOf(nothing.column),
      field: nothing.value.startsWith("0x") ? copyBytes(nothing.value) : nothing.value,
    };
  }

  get count(): number {
    return this.#count;
  }

  add(fields: Fields, standing: Standing): void {
    this.#count += 1;
    if (standing === "recent") this.#recent.add(fields.join("\t"));
    else this.#addFinal(fields);
  }

  #addFinal(fields: Fields): void {
    const key = fields.slice(0, this.#keys).join("\t");
    const block = Number(fields[this.#keys]);
    const before = this.#newest.get(key);
    if (before !== undefined) this.#end(key, before, block);
    this.#newest.set(key, {
      block,
      values: fields.slice(this.#keys + 1).join("\t"),
      isFirst: before === undefined,
      isSomething: this.#nothing === undefined || String(fields[this.#nothing.at]) !== this.#nothing.field,
    });
  }

  #end(key: string, { block, values, isFirst, isSomething }: Newest, next: number): void {
    if (isFirst) this.#staged.add(`${key}\t${block}\t${values}\t${next}\ttrue`);
    else if (isSomething) this.#closed.add(`${key}\t${block}\t${next}\t${durationClass(next - block)}\t${values}`);
  }

  take() {
    for (const [key, { block, values, isFirst }] of this.#newest)
      this.#staged.add(`${key}\t${block}\t${values}\t${COPY_NULL}\t${isFirst}`);
    this.#newest = new Map();
    this.#count = 0;
    return { recent: this.#recent.take(), closed: this.#closed.take(), staged: this.#staged.take() };
  }
}

export class VersionLog {
  readonly #collected: ReadonlyMap<History, Collected>;
  #hasStaging = false;

  constructor(histories: readonly History[]) {
    this.#collected = new Map(histories.map((history) => [history, new Collected(history)]));
  }

  /** `fields`: key, block and values in the order of the declaration; one per entity and block, in the order of their blocks. */
  add(history: History, fields: Fields, standing: Standing): void {
    this.#collected.get(history)?.add(fields, standing);
  }

  /** Forgets what was added and not written, after a batch that failed: the tables that it made are gone with it. */
  clear(): void {
    for (const collected of this.#collected.values()) collected.take();
    this.#hasStaging = false;
  }

  /** Writes and forgets everything, inside the caller's transaction; returns the number of versions. */
  async write(db: Sql, s: string): Promise<number> {
    let written = 0;
    for (const collected of this.#collected.values()) {
      if (collected.count === 0) continue;
      written += collected.count;
      await this.#write(db, s, collected);
    }
    return written;
  }

  async #write(db: Sql, s: string, collected: Collected): Promise<void> {
    const { history } = collected;
    const { recent, closed, staged } = collected.take();
    const [keys, values] = [keyColumns(history), valueColumns(history)];
    await copyRows(db, `${s}.${history.name}_recent (${listed([...keys, "block", ...values])})`, recent);
    if (staged.count === 0) return;
    await this.#prepare(db, s);
    const interval = listed([...keys, "from_block", "to_block", "lvl", ...values]);
    await copyRows(db, `${s}.${history.name}_interval (${interval})`, closed);
    const table = stagingOf(history);
    await copyRows(db, `${table} (${listed([...keys, "block", ...values, "next_block", "is_first"])})`, staged);
    if (staged.count > MANY_ROWS) await db.unsafe(`analyze ${table}`);
    await mergeVersions(db, s, { history, versions: `(${besideCurrent(s, history, table)})` });
  }

  async #prepare(db: Sql, s: string): Promise<void> {
    if (this.#hasStaging) return;
    for (const history of this.#collected.keys())
      await db.unsafe(
        `create temp table if not exists ${stagingOf(history)} (like ${s}.${history.name}_recent, next_block int4, is_first bool)
           on commit delete rows`,
      );
    this.#hasStaging = true;
  }
}
