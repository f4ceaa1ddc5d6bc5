// Folds islands: facts in event order through the reducer, its rows block by block into intervals.
import type { Logger } from "pino";
import type { Sql } from "postgres";
import {
  type IslandFactRow,
  islandFactsText,
  islandSourceTables,
  needsSettings,
  toIslandFact,
} from "../../core/island/fact-rows.ts";
import type { IslandSettings } from "../../core/island/facts.ts";
import type { IslandMismatchError } from "../../core/island/island-mismatch.ts";
import { applyIslandFact, createIslandWorld, endIslandBlock } from "../../core/island/reducer.ts";
import { withFacts } from "../facts-reader.ts";
import type { FoldRange, SequentialStep } from "../sequential-step.ts";
import { cutAt } from "../stage-facts.ts";
import { quoted } from "../tables.ts";
import { IslandLog, prepareIslandChanges } from "./island-log.ts";
import { type RestoredIslands, restoreIslands } from "./restore-islands.ts";
import { type Schemas, unreadSettings } from "./settings-reader.ts";
import { islandHistoryTables } from "./tables.ts";

/** Facts of one table per locked read: few of them are of islands. */
const READ_FACTS = 50_000;

export interface IslandSetting {
  schemas: Schemas;
  log: Logger;
}

export class IslandStep implements SequentialStep {
  readonly name = "island";
  readonly tables = islandHistoryTables;
  readonly #db: Sql;
  readonly #schemas: Schemas;
  readonly #log: Logger;
  #known: RestoredIslands = { world: createIslandWorld(), ids: new Map() };
  #changes = new IslandLog();

  constructor(db: Sql, { schemas, log }: IslandSetting) {
    this.#db = db;
    this.#schemas = schemas;
    this.#log = log;
  }

  async open(): Promise<void> {
    this.#known = await restoreIslands(this.#db, this.#schemas.fold);
    this.#changes = new IslandLog();
    await prepareIslandChanges(this.#db, quoted(this.#schemas.fold));
  }

  /** Up to the block before the first one at whose end an island must be read and was not. */
  async readyUpTo({ after, upTo }: FoldRange): Promise<{ upTo: number; reason?: string }> {
    const range = { after, upTo, limit: 1 };
    const [first] = await withFacts(this.#db, this.#schemas.ponder, () =>
      unreadSettings(this.#db, this.#schemas, range),
    );
    if (first === undefined) return { upTo };
    const why = first.lastError === undefined ? "" : `: ${first.lastError}`;
    const reason = `range, fee and treasury of island ${first.island} (block ${first.block}) are not read yet${why}`;
    return { upTo: first.block - 1, reason };
  }

  async take({ after, upTo }: FoldRange): Promise<void> {
    for (let done = after; done < upTo; ) {
      const read = await this.#read({ after: done, upTo });
      this.#apply(read.facts, await this.#readSettings(read.facts));
      done = read.upTo;
    }
  }

  write(): Promise<number> {
    return this.#changes.write(this.#db, quoted(this.#schemas.fold));
  }

  #read({ after, upTo }: FoldRange): Promise<{ upTo: number; facts: IslandFactRow[] }> {
    const [db, ponder] = [this.#db, this.#schemas.ponder];
    return withFacts(db, ponder, async () => {
      const cut = await cutAt(db, ponder, { after, upTo, limit: READ_FACTS, tables: islandSourceTables });
      const bounds = { after: String(after), upTo: String(cut) };
      return { upTo: cut, facts: await db.unsafe<IslandFactRow[]>(islandFactsText(quoted(ponder), bounds)) };
    });
  }

  /** What was read of islands for `facts`, by island and block. */
  async #readSettings(facts: readonly IslandFactRow[]): Promise<Map<string, IslandSettings>> {
    const needed = facts.filter(needsSettings);
    if (needed.length === 0) return new Map();
    const rows = await this.#db.unsafe(
      `select '0x' || encode(address, 'hex') as island, block, tick_lower, tick_upper, manager_fee_bps,
              '0x' || encode(treasury, 'hex') as treasury
         from ${quoted(this.#schemas.fold)}.island_settings where block = any($1::int4[])`,
      [[...new Set(needed.map(({ block }) => block))]],
    );
    return new Map(
      rows.map(({ island, block, tick_lower, tick_upper, manager_fee_bps, treasury }) => [
        `${island} ${block}`,
        { tickLower: tick_lower, tickUpper: tick_upper, managerFeeBps: manager_fee_bps, treasury },
      ]),
    );
  }

  #apply(rows: readonly IslandFactRow[], settings: ReadonlyMap<string, IslandSettings>): void {
    let block = -1;
    for (const row of rows) {
      if (row.block !== block) this.#endBlock(block);
      block = row.block;
      const fact = toIslandFact(row, settings.get(`${row.island} ${row.block}`));
      if (fact.kind === "created") this.#number(fact);
      const mismatch = applyIslandFact(this.#known.world, fact);
      if (mismatch) this.#stop(mismatch);
    }
    this.#endBlock(block);
  }

  #number(fact: Parameters<IslandLog["created"]>[1]): void {
    const { ids } = this.#known;
    ids.set(fact.island, ids.size + 1);
    this.#changes.created(ids.size, fact);
  }

  #endBlock(block: number): void {
    const { rows, stops } = endIslandBlock(this.#known.world);
    for (const row of rows) this.#changes.changed(this.#idOf(row.island), row, block);
    for (const stop of stops) this.#stop(stop);
  }

  #stop(mismatch: IslandMismatchError): void {
    const { island, block, logIndex, message } = mismatch;
    this.#changes.stopped(this.#idOf(island), mismatch);
    this.#log.error({ island, block, logIndex }, message);
  }

  #idOf(island: string): number {
    const id = this.#known.ids.get(island);
    if (id === undefined) throw new Error(`island ${island} has no number`);
    return id;
  }
}
