// What a batch of facts changes in islands, collected block by block, and how it gets into the as-of tables.
import type { Sql } from "postgres";
import { durationClass, durationClassSql } from "../../core/history/duration-class.ts";
import type { IslandCreatedFact } from "../../core/island/facts.ts";
import type { IslandMismatchError } from "../../core/island/island-mismatch.ts";
import type { IslandRow } from "../../core/island/state.ts";
import { isAddressField, islandColumns, islandFields } from "../../core/island/stored-rows.ts";
import { copyBytes, copyRows } from "../copy-rows.ts";

const COLUMNS = Object.values(islandColumns).join(", ");
const CREATED_COLUMNS = "id, address, pool, token0, token1, created_block, created_log";

interface Change {
  id: number;
  /** The batch's first block in which the island changed: what was current before ends here. */
  first: number;
  since: number;
  row: IslandRow;
}

const valuesOf = (row: IslandRow): string =>
  islandFields.map((field) => (isAddressField(field) ? copyBytes(String(row[field])) : String(row[field]))).join("\t");

/** Temporary table of the session for last rows; it empties itself at every commit. */
export async function prepareIslandChanges(db: Sql, s: string): Promise<void> {
  await db.unsafe(`create temp table if not exists island_changed (
    like ${s}.island_current, first_block int4 not null) on commit delete rows`);
}

export class IslandLog {
  #created: string[] = [];
  #closed: string[] = [];
  #stopped: { id: number; mismatch: IslandMismatchError }[] = [];
  readonly #latest = new Map<number, Change>();

  created(id: number, { island, pool, token0, token1, block, logIndex }: IslandCreatedFact): void {
    const addresses = [island, pool, token0, token1].map(copyBytes);
    this.#created.push(`${[id, ...addresses, block, logIndex].join("\t")}\n`);
  }

  stopped(id: number, mismatch: IslandMismatchError): void {
    this.#stopped.push({ id, mismatch });
  }

  /** `row` holds since the end of `block`; rows come in order of blocks, one per island and block. */
  changed(id: number, row: IslandRow, block: number): void {
    const change = this.#latest.get(id);
    if (change === undefined) {
      this.#latest.set(id, { id, first: block, since: block, row });
      return;
    }
    const span = [id, change.since, block, durationClass(block - change.since)].join("\t");
    this.#closed.push(`${span}\t${valuesOf(change.row)}\n`);
    change.since = block;
    change.row = row;
  }

  /** Writes and forgets everything, inside the caller's transaction; `s` is the fold's quoted schema. */
  async write(db: Sql, s: string): Promise<number> {
    const created = this.#created.splice(0);
    const stopped = this.#stopped.splice(0);
    await copyRows(db, `${s}.island (${CREATED_COLUMNS})`, { count: created.length, pieces: created });
    for (const { id, mismatch } of stopped) {
      const { block, logIndex, field, expected, replayed } = mismatch;
      await db.unsafe(
        `update ${s}.island set stopped_block = $2, stopped_log = $3, stopped_field = $4, stopped_expected = $5,
           stopped_replayed = $6 where id = $1`,
        [id, block, logIndex, field, expected, replayed],
      );
    }
    return created.length + stopped.length + (await this.#writeRows(db, s));
  }

  async #writeRows(db: Sql, s: string): Promise<number> {
    const latest = [...this.#latest.values()].map(
      ({ id, since, first, row }) => `${id}\t${since}\t${first}\t${valuesOf(row)}\n`,
    );
    const closed = this.#closed.splice(0);
    this.#latest.clear();
    if (latest.length === 0) return 0;
    const intervals = `${s}.island_interval (island, from_block, to_block, lvl, ${COLUMNS})`;
    const changed = { count: latest.length, pieces: latest };
    await copyRows(db, `island_changed (island, since, first_block, ${COLUMNS})`, changed);
    const old = islandFields.map((field) => `c.${islandColumns[field]}`).join(", ");
    const ended = await db.unsafe(`
      insert into ${intervals}
      select c.island, c.since, n.first_block, ${durationClassSql("n.first_block - c.since")}, ${old}
        from island_changed n join ${s}.island_current c on c.island = n.island`);
    await copyRows(db, intervals, { count: closed.length, pieces: closed });
    const renewed = ["since", ...Object.values(islandColumns)].map((column) => `${column} = excluded.${column}`);
    await db.unsafe(`
      insert into ${s}.island_current (island, since, ${COLUMNS})
      select island, since, ${COLUMNS} from island_changed
      on conflict (island) do update set ${renewed.join(", ")}`);
    return ended.count + closed.length + latest.length;
  }
}
