// Reads the islands back from the fold's rows: all of them as of the head, or those that are taken back.
import type { Sql } from "postgres";
import { islands } from "../../core/history/histories.ts";
import { IslandMismatchError } from "../../core/island/island-mismatch.ts";
import { createIslandWorld, type IslandWorld, restoreIsland, restoreIslandStop } from "../../core/island/reducer.ts";
import { islandColumnsText, type StoredIslandRow, toFoldedIsland } from "../../core/island/stored-rows.ts";
import { changedAfter, headRows, rowsBefore } from "../history/head-rows.ts";
import { mismatchOf, type StoredStop } from "../stops.ts";
import { quoted } from "../tables.ts";

const hex = (column: string) => `'0x' || encode(i.${column}, 'hex') as ${column}`;

type Stored = StoredIslandRow &
  StoredStop & {
    id: number;
    address: string;
    pool: string;
    token0: string;
    token1: string;
    waiting_block: number | null;
  };

export interface RestoredIslands {
  world: IslandWorld;
  /** Numbers in the tables, by address. */
  ids: Map<string, number>;
}

const COLUMNS = (row: string): string => `${row}.island, ${islandColumnsText(row)}`;

/** Islands with the rows of `held`, SELECT text of {@link COLUMNS}. */
const storedText = (s: string, held: string): string => `
  select i.id, ${["address", "pool", "token0", "token1"].map(hex).join(", ")}, h.*,
         i.stopped_block, i.stopped_log, i.stopped_field, i.stopped_expected, i.stopped_replayed, i.waiting_block
    from ${s}.island i join (${held}) h on h.island = i.id order by i.id`;

const whole = (s: string): string => storedText(s, headRows(islands, { fold: s, select: COLUMNS }));

/** All islands; those that wait have a number, and no state. */
export async function restoreIslands(db: Sql, foldSchema: string): Promise<RestoredIslands> {
  const s = quoted(foldSchema);
  const restored: RestoredIslands = { world: createIslandWorld(), ids: new Map() };
  const waiting = await db.unsafe<{ id: number; address: string }[]>(
    `select i.id, ${hex("address")} from ${s}.island i where i.waiting_block is not null`,
  );
  for (const { id, address } of waiting) {
    restored.ids.set(address, id);
    restored.world.waiting.add(address);
  }
  const rows = await db.unsafe<Stored[]>(`select * from (${whole(s)}) w where w.waiting_block is null order by w.id`);
  for (const row of rows) restore(restored, row);
  return restored;
}

/** The islands with `numbers` alone, as they were before they began to wait. */
export async function restoreWaiting(
  db: Sql,
  foldSchema: string,
  numbers: readonly number[],
): Promise<RestoredIslands> {
  const s = quoted(foldSchema);
  const restored: RestoredIslands = { world: createIslandWorld(), ids: new Map() };
  const places = await db.unsafe<{ id: number; address: string }[]>(
    `select i.id, ${hex("address")} from ${s}.island i where i.id = any($1::int4[])`,
    [[...numbers]],
  );
  for (const { id, address } of places) restored.ids.set(address, id);
  const rows = await db.unsafe<Stored[]>(`select * from (${whole(s)}) w where w.id = any($1::int4[])`, [[...numbers]]);
  for (const row of rows) restore(restored, row);
  return restored;
}

/** Takes `restored` back to the end of `block`, before the rows of later blocks are deleted. */
export async function rewindIslands(
  db: Sql,
  foldSchema: string,
  { restored, block }: { restored: RestoredIslands; block: number },
): Promise<void> {
  const s = quoted(foldSchema);
  const changed = await db.unsafe<{ address: string }[]>(
    `select ${hex("address")} from ${s}.island i
      where i.id in (${changedAfter(islands, s, block)})
         or greatest(i.stopped_block, i.waiting_block, i.created_block) > ${block}`,
  );
  for (const { address } of changed) {
    restored.world.islands.delete(address);
    restored.world.waiting.delete(address);
  }
  const gone = await db.unsafe<{ address: string }[]>(
    `select ${hex("address")} from ${s}.island i where i.created_block > ${block}`,
  );
  for (const { address } of gone) restored.ids.delete(address);
  const rows = await db.unsafe<Stored[]>(`
    ${storedText(
      s,
      `select * from (${rowsBefore(islands, { fold: s, select: COLUMNS }, block)}) b
      union all select * from (${headRows(islands, { fold: s, select: COLUMNS })}) u
       where u.island in (select id from ${s}.island where greatest(stopped_block, waiting_block) > ${block})
         and u.island not in (${changedAfter(islands, s, block)})`,
    )}`);
  for (const row of rows)
    restore(restored, row.stopped_block !== null && row.stopped_block > block ? { ...row, stopped_block: null } : row);
}

function restore({ world, ids }: RestoredIslands, row: Stored): void {
  const { id, address, pool, token0, token1 } = row;
  ids.set(address, id);
  restoreIsland(world, { island: address, pool, token0, token1 }, toFoldedIsland(address, row));
  if (row.stopped_block === null) return;
  const at = { island: address, block: row.stopped_block, logIndex: row.stopped_log };
  restoreIslandStop(world, new IslandMismatchError(at, mismatchOf(row)));
}
