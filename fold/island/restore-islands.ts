// Reads the islands back from the rows that are current at the watermark.
import type { Sql } from "postgres";
import { IslandMismatchError } from "../../core/island/island-mismatch.ts";
import { createIslandWorld, type IslandWorld, restoreIsland, restoreIslandStop } from "../../core/island/reducer.ts";
import { islandColumnsText, type StoredIslandRow, toIslandRow } from "../../core/island/stored-rows.ts";
import { quoted } from "../tables.ts";

const hex = (column: string) => `'0x' || encode(i.${column}, 'hex') as ${column}`;

type Stored = StoredIslandRow & {
  id: number;
  address: string;
  pool: string;
  token0: string;
  token1: string;
  stopped_block: number | null;
  stopped_log: number;
  stopped_field: string;
  stopped_expected: string;
  stopped_replayed: string;
};

export interface RestoredIslands {
  world: IslandWorld;
  /** Numbers in the tables, by address. */
  ids: Map<string, number>;
}

export async function restoreIslands(db: Sql, foldSchema: string): Promise<RestoredIslands> {
  const s = quoted(foldSchema);
  const world = createIslandWorld();
  const ids = new Map<string, number>();
  const rows = await db.unsafe<Stored[]>(`
    select i.id, ${["address", "pool", "token0", "token1"].map(hex).join(", ")}, ${islandColumnsText("c")},
           i.stopped_block, i.stopped_log, i.stopped_field, i.stopped_expected, i.stopped_replayed
      from ${s}.island i join ${s}.island_current c on c.island = i.id order by i.id`);
  for (const row of rows) {
    const { id, address, pool, token0, token1 } = row;
    ids.set(address, id);
    restoreIsland(world, { island: address, pool, token0, token1 }, toIslandRow(address, row));
    if (row.stopped_block === null) continue;
    const at = { island: address, block: row.stopped_block, logIndex: row.stopped_log };
    const values = { field: row.stopped_field, expected: row.stopped_expected, replayed: row.stopped_replayed };
    restoreIslandStop(world, new IslandMismatchError(at, values));
  }
  return { world, ids };
}
