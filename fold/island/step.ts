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
import { type FactSource, finalFacts, type Schemas } from "../fact-source.ts";
import type { FoldRange, SequentialStep } from "../sequential-step.ts";
import { cutAt } from "../stage-facts.ts";
import { quoted } from "../tables.ts";
import { IslandLog } from "./island-log.ts";
import { type RestoredIslands, restoreIslands, rewindIslands } from "./restore-islands.ts";
import { unreadSettings } from "./settings-reader.ts";
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
  readonly facts = islandSourceTables;
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
  }

  /** Up to the block before the first one at whose end an island must be read and was not. */
  async readyUpTo({ after, upTo }: FoldRange): Promise<{ upTo: number; reason?: string }> {
    const range = { after, upTo, limit: 1 };
    const facts = finalFacts(this.#db, this.#schemas);
    const [first] = await facts.read(() => unreadSettings(this.#db, this.#schemas, range));
    if (first === undefined) return { upTo };
    const why = first.lastError === undefined ? "" : `: ${first.lastError}`;
    const reason = `range, fee and treasury of island ${first.island} (block ${first.block}) are not read yet${why}`;
    return { upTo: first.block - 1, reason };
  }

  async take({ after, upTo }: FoldRange, source: FactSource): Promise<void> {
    for (let done = after; done < upTo; ) {
      const read = await this.#read({ after: done, upTo }, source);
      const ids = await this.#numbers(read.facts);
      this.#apply(read.facts, { ids, settings: await this.#readSettings(read.facts, source) });
      done = read.upTo;
    }
  }

  write({ standing }: FactSource): Promise<number> {
    return this.#changes.write(this.#db, quoted(this.#schemas.fold), standing);
  }

  async rewind(block: number): Promise<void> {
    await rewindIslands(this.#db, this.#schemas.fold, { restored: this.#known, block });
    await this.#changes.rewind(this.#db, quoted(this.#schemas.fold), block);
  }

  #read({ after, upTo }: FoldRange, { schema, read }: FactSource): Promise<{ upTo: number; facts: IslandFactRow[] }> {
    const db = this.#db;
    return read(async () => {
      const cut = await cutAt(db, schema, { after, upTo, limit: READ_FACTS, tables: islandSourceTables });
      const bounds = { after: String(after), upTo: String(cut) };
      return { upTo: cut, facts: await db.unsafe<IslandFactRow[]>(islandFactsText(schema, bounds)) };
    });
  }

  /** Numbers for the islands that `facts` create, in their order. */
  async #numbers(facts: readonly IslandFactRow[]): Promise<number[]> {
    const created = facts.filter(({ kind }) => kind === "created").length;
    if (created === 0) return [];
    const ids = await this.#db.unsafe(
      `select nextval('${quoted(this.#schemas.fold)}.island_id')::int4 as id from generate_series(1, $1::int4)`,
      [created],
    );
    return ids.map(({ id }) => Number(id));
  }

  /** What was read of islands for `facts`, by island and block, on this branch of the chain. */
  async #readSettings(facts: readonly IslandFactRow[], { schema }: FactSource): Promise<Map<string, IslandSettings>> {
    const needed = facts.filter(needsSettings);
    if (needed.length === 0) return new Map();
    const rows = await this.#db.unsafe(
      `select '0x' || encode(r.address, 'hex') as island, r.block, r.tick_lower, r.tick_upper, r.manager_fee_bps,
              '0x' || encode(r.treasury, 'hex') as treasury
         from ${quoted(this.#schemas.fold)}.island_settings r
         join ${schema}.block b on b.number = r.block and b.hash = r.block_hash where r.block = any($1::int4[])`,
      [[...new Set(needed.map(({ block }) => block))]],
    );
    return new Map(
      rows.map(({ island, block, tick_lower, tick_upper, manager_fee_bps, treasury }) => [
        `${island} ${block}`,
        { tickLower: tick_lower, tickUpper: tick_upper, managerFeeBps: manager_fee_bps, treasury },
      ]),
    );
  }

  #apply(
    rows: readonly IslandFactRow[],
    { ids, settings }: { ids: number[]; settings: ReadonlyMap<string, IslandSettings> },
  ): void {
    let block = -1;
    for (const row of rows) {
      if (row.block !== block) this.#endBlock(block);
      block = row.block;
      const fact = toIslandFact(row, settings.get(`${row.island} ${row.block}`));
      if (fact.kind === "created") this.#create(fact, ids.shift());
      const mismatch = applyIslandFact(this.#known.world, fact);
      if (mismatch) this.#stop(mismatch);
    }
    this.#endBlock(block);
  }

  #create(fact: Parameters<IslandLog["created"]>[1], id: number | undefined): void {
    if (id === undefined) throw new Error(`island ${fact.island} was given no number`);
    this.#known.ids.set(fact.island, id);
    this.#changes.created(id, fact);
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
