// Facts of islands through the reducer, in event order; what changes is collected for the fold's tables.
import type { Logger } from "pino";
import { type IslandFactRow, toIslandFact } from "../../core/island/fact-rows.ts";
import type { IslandCreatedFact, IslandSettings } from "../../core/island/facts.ts";
import { IslandMismatchError } from "../../core/island/island-mismatch.ts";
import { applyIslandFact, endIslandBlock, restoreIslandStop } from "../../core/island/reducer.ts";
import type { Standing } from "../history/version-log.ts";
import { IslandLog } from "./island-log.ts";
import type { IslandFacts } from "./read-facts.ts";
import type { RestoredIslands } from "./restore-islands.ts";

const NONE: ReadonlyMap<string, number> = new Map();

export class IslandReplay {
  readonly changes = new IslandLog();
  readonly restored: RestoredIslands;
  readonly #log: Logger;

  constructor(restored: RestoredIslands, log: Logger) {
    this.restored = restored;
    this.#log = log;
  }

  /** `numbers`: those that the islands which `facts` create get in the tables. */
  apply({ rows, settings, standing }: IslandFacts, numbers: ReadonlyMap<string, number> = NONE): void {
    let block = -1;
    for (const row of rows) {
      if (row.block !== block) this.#endBlock(block, standing);
      block = row.block;
      try {
        this.#applyOne(row, settings.get(`${row.island} ${row.block}`), numbers);
      } catch (error) {
        this.#refuse(row, error);
      }
    }
    this.#endBlock(block, standing);
  }

  #applyOne(row: IslandFactRow, settings: IslandSettings | undefined, numbers: ReadonlyMap<string, number>): void {
    const fact = toIslandFact(row, settings);
    if (fact.kind === "created") this.#create(fact, numbers.get(fact.island));
    const mismatch = applyIslandFact(this.restored.world, fact);
    if (mismatch) this.#stop(mismatch);
  }

  #create(fact: IslandCreatedFact, id: number | undefined): void {
    const { ids } = this.restored;
    // one that has waited since then is there already
    if (ids.has(fact.island)) return;
    if (id === undefined) throw new Error(`island ${fact.island} was given no number`);
    ids.set(fact.island, id);
    this.changes.created(id, fact);
  }

  /** Whatever is wrong with one island must not end the fold of all. */
  #refuse({ island, block, log_index: logIndex, kind }: IslandFactRow, error: unknown): void {
    const replayed = error instanceof Error ? error.message : String(error);
    const state = this.restored.world.islands.get(island);
    if (state === undefined) this.#log.error({ island, block, logIndex }, replayed);
    if (state === undefined || state.stopped) return;
    const mismatch = new IslandMismatchError(
      { island, block, logIndex },
      { field: kind, expected: "accepted", replayed },
    );
    restoreIslandStop(this.restored.world, mismatch);
    this.#stop(mismatch);
  }

  #endBlock(block: number, standing: Standing): void {
    const { rows, stops, waits } = endIslandBlock(this.restored.world);
    for (const row of rows) this.changes.changed(this.#idOf(row.island), row, { block, standing });
    for (const stop of stops) this.#stop(stop);
    for (const { island, block: since } of waits) {
      this.changes.waits(this.#idOf(island), since);
      this.#log.warn({ island, block: since }, "the island waits: its settings are not read yet");
    }
  }

  #stop(mismatch: IslandMismatchError): void {
    const { island, block, logIndex, message } = mismatch;
    this.changes.stopped(this.#idOf(island), mismatch);
    this.#log.error({ island, block, logIndex }, message);
  }

  #idOf(island: string): number {
    const id = this.restored.ids.get(island);
    if (id === undefined) throw new Error(`island ${island} has no number`);
    return id;
  }
}
