// What a batch of facts changes in islands, and how it gets into the fold's tables.
import type { Sql } from "postgres";
import { islands } from "../../core/history/histories.ts";
import type { IslandCreatedFact } from "../../core/island/facts.ts";
import type { IslandMismatchError } from "../../core/island/island-mismatch.ts";
import { type FoldedIsland, isDetermined } from "../../core/island/state.ts";
import { isAddressField, islandFields, storedValue } from "../../core/island/stored-rows.ts";
import { copyBytes, copyRows } from "../history/copy-rows.ts";
import { type Standing, VersionLog } from "../history/version-log.ts";
import { NOT_STOPPED, type Stop, writeStops } from "../stops.ts";

const CREATED_COLUMNS = "id, address, pool, token0, token1, created_block, created_log";

const valuesOf = (row: FoldedIsland): string[] =>
  islandFields.map((field) => (isAddressField(field) ? copyBytes(storedValue(row, field)) : storedValue(row, field)));

export class IslandLog {
  #created: string[] = [];
  #stopped: Stop[] = [];
  #waits: { id: number; block: number }[] = [];
  /** The first block from which on something is not determined, by island. */
  readonly #undetermined = new Map<number, number>();
  readonly #versions = new VersionLog([islands]);

  created(id: number, { island, pool, token0, token1, block, logIndex }: IslandCreatedFact): void {
    const addresses = [island, pool, token0, token1].map(copyBytes);
    this.#created.push(`${[id, ...addresses, block, logIndex].join("\t")}\n`);
  }

  stopped(id: number, mismatch: IslandMismatchError): void {
    this.#stopped.push({ id, mismatch });
  }

  /** The island's state is unknown from `block` on. */
  waits(id: number, block: number): void {
    this.#waits.push({ id, block });
  }

  /** `row` holds since the end of `block`; one per island and block. */
  changed(id: number, row: FoldedIsland, { block, standing }: { block: number; standing: Standing }): void {
    if (!isDetermined(row) && !this.#undetermined.has(id)) this.#undetermined.set(id, block);
    this.#versions.add(islands, [id, block, ...valuesOf(row)], standing);
  }

  /** Writes and forgets everything, inside the caller's transaction; `s` is the fold's quoted schema. */
  async write(db: Sql, s: string): Promise<number> {
    const created = this.#created.splice(0);
    const stopped = this.#stopped.splice(0);
    const waits = this.#waits.splice(0);
    await copyRows(db, `${s}.island (${CREATED_COLUMNS})`, { count: created.length, pieces: created });
    await writeStops(db, `${s}.island`, stopped);
    for (const { id, block } of waits)
      await db.unsafe(`update ${s}.island set waiting_block = $2 where id = $1`, [id, block]);
    for (const [id, block] of this.#undetermined)
      await db.unsafe(`update ${s}.island set undetermined_block = least(undetermined_block, $2::int4) where id = $1`, [
        id,
        block,
      ]);
    this.#undetermined.clear();
    return created.length + stopped.length + waits.length + (await this.#versions.write(db, s));
  }

  /** Takes back what was recorded about islands in later blocks. */
  async rewind(db: Sql, s: string, block: number): Promise<void> {
    await db.unsafe(`
      delete from ${s}.island where created_block > ${block};
      update ${s}.island set ${NOT_STOPPED} where stopped_block > ${block};
      update ${s}.island set undetermined_block = null where undetermined_block > ${block};
      update ${s}.island set waiting_block = null where waiting_block > ${block}`);
  }
}
