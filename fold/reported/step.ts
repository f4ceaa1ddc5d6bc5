// Folds states that contracts report whole, in sets: the last report of a block is the version of that block.
import type { Sql } from "postgres";
import type { BlocksAfter } from "../../core/blocks-after.ts";
import { type History, listed, valueColumns } from "../../core/history/history.ts";
import { type ReportedState, reportedText } from "../../core/reported/reported-state.ts";
import type { FactSource, Schemas } from "../facts/fact-source.ts";
import { READ_FACTS } from "../facts/facts-reader.ts";
import { cutAt } from "../facts/stage-facts.ts";
import { besideCurrent, mergeVersions, withNext } from "../history/merge.ts";
import type { SequentialStep } from "../sequential-step.ts";
import { historyTables } from "../tables/history.ts";
import { quoted } from "../tables.ts";

export class ReportedStep implements SequentialStep {
  readonly name: string;
  readonly tables: readonly string[];
  readonly facts: readonly string[];
  readonly #db: Sql;
  readonly #schemas: Schemas;
  readonly #state: ReportedState;
  readonly #history: History;
  /** Temporary table of the session: (contract, block, columns). */
  readonly #staged: string;
  /** Staged rows, which wait to be merged. */
  #staging = 0;
  /** Rows that are written as recent versions already. */
  #recent = 0;

  constructor(db: Sql, { schemas, state }: { schemas: Schemas; state: ReportedState }) {
    this.name = state.name;
    this.facts = [state.fact];
    this.#db = db;
    this.#schemas = schemas;
    this.#state = state;
    this.#history = state.history;
    this.tables = historyTables(this.#history);
    this.#staged = `${this.#history.name}_version`;
  }

  async open(): Promise<void> {
    await this.#db.unsafe(
      `create temp table if not exists ${this.#staged} (like ${quoted(this.#schemas.fold)}.${this.#history.name}_recent)`,
    );
    await this.#db.unsafe(`truncate ${this.#staged}`);
    this.#staging = 0;
    this.#recent = 0;
  }

  async readyUpTo({ upTo }: BlocksAfter): Promise<{ upTo: number }> {
    return { upTo };
  }

  async stage({ after, upTo }: BlocksAfter, source: FactSource): Promise<void> {
    const recent = `${quoted(this.#schemas.fold)}.${this.#history.name}_recent`;
    if (source.standing === "recent") {
      this.#recent += await this.#insert(recent, { after, upTo }, source);
      return;
    }
    for (let done = after; done < upTo; )
      done = await source.read(async () => {
        const range = { after: done, upTo, limit: READ_FACTS, tables: this.facts };
        const cut = await cutAt(this.#db, source.schema, range);
        this.#staging += await this.#insert(this.#staged, { after: done, upTo: cut }, source);
        return cut;
      });
  }

  async write(): Promise<number> {
    const rows = this.#staging + this.#recent;
    const isStaged = this.#staging > 0;
    this.#staging = 0;
    this.#recent = 0;
    if (!isStaged) return rows;
    const s = quoted(this.#schemas.fold);
    await mergeVersions(this.#db, s, {
      history: this.#history,
      versions: `(${besideCurrent(s, this.#history, withNext(this.#history, this.#staged))})`,
    });
    await this.#db.unsafe(`truncate ${this.#staged}`);
    return rows;
  }

  /** Nothing is in memory. */
  async rewind(): Promise<void> {}

  async #insert(table: string, range: BlocksAfter, { schema }: FactSource): Promise<number> {
    const { count } = await this.#db.unsafe(`
      insert into ${table}
      select decode(substr(t.contract, 3), 'hex'), t.block, ${listed(valueColumns(this.#history), "t")}
        from (${reportedText(this.#state, schema, range)}) t`);
    return count;
  }
}
