// Folds islands: facts in event order through the reducer, its rows block by block into intervals. An island whose settings
// are not read yet waits; the others go on without it, and it catches up alone.
import type { Logger } from "pino";
import type { Sql } from "postgres";
import type { BlocksAfter } from "../../core/blocks-after.ts";
import { islandSourceTables } from "../../core/island/fact-rows.ts";
import { createIslandWorld } from "../../core/island/reducer.ts";
import { type FactSource, finalFacts, type Schemas } from "../facts/fact-source.ts";
import type { CaughtUp, SequentialStep } from "../sequential-step.ts";
import { islandHistoryTables } from "../tables/island.ts";
import { quoted } from "../tables.ts";
import { IslandCatchUp } from "./catch-up.ts";
import { type IslandFacts, readIslandFacts } from "./read-facts.ts";
import { IslandReplay } from "./replay.ts";
import { restoreIslands, rewindIslands } from "./restore-islands.ts";
import { unreadSettings } from "./settings-reader.ts";

interface IslandSetting {
  schemas: Schemas;
  log: Logger;
}

export class IslandStep implements SequentialStep {
  readonly name = "island";
  readonly tables = islandHistoryTables;
  readonly facts = islandSourceTables;
  readonly #db: Sql;
  readonly #schemas: Schemas;
  readonly #log: Logger;
  readonly #catchUp: IslandCatchUp;
  #replay: IslandReplay;

  constructor(db: Sql, { schemas, log }: IslandSetting) {
    this.#db = db;
    this.#schemas = schemas;
    this.#log = log;
    this.#catchUp = new IslandCatchUp(db, { schemas, log });
    this.#replay = new IslandReplay({ world: createIslandWorld(), ids: new Map() }, log);
  }

  async open(): Promise<void> {
    this.#replay = new IslandReplay(await restoreIslands(this.#db, this.#schemas.fold), this.#log);
  }

  /** Up to the block before the first one at which an island is still to be read for the first time: failed attempts are not waited for. */
  async readyUpTo({ after, upTo }: BlocksAfter): Promise<{ upTo: number; reason?: string }> {
    const facts = finalFacts(this.#db, this.#schemas);
    const range = { after, upTo, limit: 1 };
    const [first] = await facts.read(() => unreadSettings(this.#db, this.#schemas, { ...range, which: "untried" }));
    if (first === undefined) return { upTo };
    const reason = `range, fee and treasury of island ${first.island} (block ${first.block}) are not read yet`;
    return { upTo: first.block - 1, reason };
  }

  async take({ after, upTo }: BlocksAfter, source: FactSource): Promise<void> {
    for (let done = after; done < upTo; ) {
      const place = { foldSchema: this.#schemas.fold, source };
      const facts = await readIslandFacts(place, { after: done, upTo });
      this.#replay.apply(facts, await this.#numbers(source.db, facts));
      done = facts.upTo;
    }
  }

  write(): Promise<number> {
    return this.#replay.changes.write(this.#db, quoted(this.#schemas.fold));
  }

  async rewind(block: number): Promise<void> {
    await rewindIslands(this.#db, this.#schemas.fold, { restored: this.#replay.restored, block });
    await this.#replay.changes.rewind(this.#db, quoted(this.#schemas.fold), block);
  }

  catchUp(): Promise<CaughtUp> {
    return this.#catchUp.turn();
  }

  /** Numbers for the islands that `facts` create, in their order. */
  async #numbers(db: Sql, { rows }: IslandFacts): Promise<Map<string, number>> {
    const created = rows.filter(({ kind }) => kind === "created").map(({ island }) => island);
    if (created.length === 0) return new Map();
    const ids = await db.unsafe(
      `select nextval('${quoted(this.#schemas.fold)}.island_id')::int4 as id from generate_series(1, $1::int4)`,
      [created.length],
    );
    return new Map(created.map((island, i) => [island, Number(ids[i]?.id)]));
  }
}
