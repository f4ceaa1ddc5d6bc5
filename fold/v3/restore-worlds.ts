// Reads worlds back from the rows that are current at the watermark.
import type { Sql } from "postgres";
import { restoreRow, restoreStop } from "../../core/v3/reducer.ts";
import { ReplayMismatchError } from "../../core/v3/replay-mismatch.ts";
import { toV3Row, type V3RowKind } from "../../core/v3/stored-rows.ts";
import { quoted } from "../tables.ts";
import type { V3Deployment } from "./deployments.ts";
import { Worlds } from "./worlds.ts";

const ROWS_PER_READ = 5_000;

/** Columns of a kind's current table as `toV3Row` takes them, with the pool's address. */
const texts: Record<V3RowKind, { columns: string; order: string }> = {
  pool: { columns: "c.*", order: "c.pool" },
  tick: { columns: "c.*", order: "c.pool, c.tick" },
  position: {
    columns: `c.*, '0x' || encode(c.owner, 'hex') as owner`,
    order: "c.pool, c.owner, c.tick_lower, c.tick_upper",
  },
  nft: { columns: `c.*, '0x' || encode(c.owner, 'hex') as owner`, order: "c.manager, c.token_id" },
};

async function addPools(db: Sql, s: string, worlds: Worlds): Promise<void> {
  const pools = await db.unsafe(`
    select *, '0x' || encode(address, 'hex') as address, '0x' || encode(factory, 'hex') as factory
      from ${s}.v3_pool order by id`);
  for (const row of pools) {
    const initialFee =
      row.initial_fee_protocol0 === null
        ? undefined
        : { feeProtocol0: row.initial_fee_protocol0, feeProtocol1: row.initial_fee_protocol1 };
    const constants = { pool: row.address, fee: row.fee, tickSpacing: row.tick_spacing };
    const { world } = worlds.add({ ...constants, id: row.id, factory: row.factory, initialFee });
    if (row.stopped_block === null) continue;
    const at = { pool: row.address, block: row.stopped_block, logIndex: row.stopped_log, txIndex: 0 };
    const values = { field: row.stopped_field, expected: row.stopped_expected, replayed: row.stopped_replayed };
    restoreStop(world, new ReplayMismatchError(at, values));
  }
}

export async function restoreWorlds(
  db: Sql,
  foldSchema: string,
  deployments: readonly V3Deployment[],
): Promise<Worlds> {
  const s = quoted(foldSchema);
  const worlds = new Worlds(deployments);
  await addPools(db, s, worlds);
  for (const kind of ["pool", "tick", "position", "nft"] as const) {
    const { columns, order } = texts[kind];
    const rows = db.unsafe(`
      select ${columns}, '0x' || encode(p.address, 'hex') as address
        from ${s}.v3_${kind}_current c join ${s}.v3_pool p on p.id = c.pool order by ${order}`);
    for await (const read of rows.cursor(ROWS_PER_READ)) {
      for (const row of read) restoreRow(worlds.pool(row.address).world, toV3Row(kind, row.address, row));
    }
  }
  return worlds;
}
