// What follows the bulk load of a fold's tables: the indexes that make them readable, then a vacuum; and from then on their upkeep.
import type { Logger } from "pino";
import type { Sql } from "postgres";
import { hasIndexes, indexLoad } from "./index-load.ts";
import { createUpkeep, type Written } from "./upkeep.ts";

/** A load without indexes is a third faster. A load that takes longer than this gets them before it ends, so that it can be read. */
const LONGEST_UNINDEXED_MS = 180_000;

export interface LoadSetting {
  foldSchema: string;
  stepTables: readonly string[];
  log: Logger;
  /** Another connection, on which tables are tended while blocks are folded. */
  upkeepDb?: Sql | undefined;
  /** Reports that the next work may take minutes, or that it is done. */
  sign: (ahead?: "long") => Promise<void>;
}

export class FirstLoad {
  readonly #db: Sql;
  readonly #setting: LoadSetting;
  readonly #upkeep: ReturnType<typeof createUpkeep>;
  readonly #startedAt = performance.now();
  /** The indexes are built, the tables not yet vacuumed. */
  #isToVacuum = false;

  /** For tables that are empty, or were loaded by an earlier process. */
  constructor(db: Sql, setting: LoadSetting) {
    const { foldSchema, stepTables, upkeepDb } = setting;
    this.#db = db;
    this.#setting = setting;
    this.#upkeep = createUpkeep(upkeepDb ?? db, { foldSchema, stepTables, isBeside: upkeepDb !== undefined });
  }

  /** Whether nothing is left to be done for all that was loaded. */
  get isTended(): boolean {
    return !this.#isToVacuum && !this.#upkeep.isWorking();
  }

  /** Everything final is folded: builds indexes where there are none, and vacuums at the next call. */
  async finish(): Promise<void> {
    // not right after the indexes: first the head is followed, and requests that have waited for the indexes are answered
    if (this.#isToVacuum && !this.#upkeep.isWorking()) await this.#vacuum();
    else await this.#buildIndexes();
  }

  /** After a batch of final blocks. */
  async grew({ changes, stepRows }: Pick<Written, "changes" | "stepRows">): Promise<void> {
    if (await hasIndexes(this.#db, this.#setting.foldSchema)) await this.#upkeep.tend({ changes, stepRows, merged: 0 });
    else if (performance.now() - this.#startedAt > LONGEST_UNINDEXED_MS) await this.#buildIndexes();
  }

  /** After `versions` became final. */
  async merged(versions: number): Promise<void> {
    if (versions > 0) await this.#upkeep.tend({ changes: versions, stepRows: versions, merged: versions });
  }

  async #vacuum(): Promise<void> {
    this.#isToVacuum = false;
    const { log, foldSchema } = this.#setting;
    await this.#upkeep.tendLoad(() => log.info({ schema: foldSchema }, "tables vacuumed"));
  }

  async #buildIndexes(): Promise<void> {
    const { foldSchema, stepTables, upkeepDb, log, sign } = this.#setting;
    if (await hasIndexes(this.#db, foldSchema)) return;
    await sign("long");
    await indexLoad(upkeepDb ? [this.#db, upkeepDb] : [this.#db], { foldSchema, stepTables });
    await sign();
    log.info({ schema: foldSchema }, "indexes built");
    this.#isToVacuum = true;
  }
}
