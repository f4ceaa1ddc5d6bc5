// Reads worlds back from the fold's rows: all of them as of the head, or those that are taken back.
import type { Row, Sql } from "postgres";
import { toV3Row, v3KeyColumns } from "../../core/concentrated/stored-rows.ts";
import { keyColumns } from "../../core/history/history.ts";
import { dropRow, restoreRow, restoreStop } from "../../core/v3/reducer.ts";
import { ReplayMismatchError } from "../../core/v3/replay-mismatch.ts";
import { changedAfter, headRows, rowsBefore } from "../history/head-rows.ts";
import { mismatchOf, type StoredStop } from "../stops.ts";
import { quoted } from "../tables.ts";
import type { V3Deployment } from "./deployments.ts";
import { historyOf, rowKinds } from "./row-fields.ts";
import { Worlds } from "./worlds.ts";

const ROWS_PER_READ = 5_000;

/** SELECT list of a kind's columns, byte strings as 0x-hex. */
const hexed = (kind: (typeof rowKinds)[number]) => (row: string) => {
  const { key, values } = historyOf[kind];
  return Object.entries({ ...key, ...values })
    .map(([column, type]) =>
      type === "bytea" ? `'0x' || encode(${row}.${column}, 'hex') as ${column}` : `${row}.${column}`,
    )
    .join(", ");
};

async function addPools(db: Sql, s: string, worlds: Worlds): Promise<void> {
  const pools = await db.unsafe<(Row & StoredStop)[]>(`
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
    restoreStop(world, new ReplayMismatchError(at, mismatchOf(row)));
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
  for (const kind of rowKinds) {
    // in the order of the key, so that what is restored does not depend on the order of writing
    const rows = db.unsafe(`
      select h.*, '0x' || encode(p.address, 'hex') as address
        from (${headRows(historyOf[kind], { fold: s, select: hexed(kind) })}) h join ${s}.v3_pool p on p.id = h.pool
       order by ${v3KeyColumns[kind].map((column) => `h.${column}`).join(", ")}`);
    for await (const read of rows.cursor(ROWS_PER_READ)) {
      for (const row of read) restoreRow(worlds.pool(row.address).world, toV3Row(kind, row.address, row));
    }
  }
  return worlds;
}

/**
 * Takes `worlds` back to the end of `block`, before the rows of later blocks are deleted: what they changed is as it was
 * then. `block` is not below the finalized one.
 */
export async function rewindWorlds(
  db: Sql,
  foldSchema: string,
  { worlds, block }: { worlds: Worlds; block: number },
): Promise<void> {
  const s = quoted(foldSchema);
  for (const kind of rowKinds) {
    const history = historyOf[kind];
    const changed = await db.unsafe(`
      select ${hexedKeys(kind)} from (${changedAfter(history, s, block)}) k`);
    if (changed.length === 0) continue;
    for (const key of changed) {
      if (kind === "nft") dropRow(worlds.ofManager(String(key.manager)), { kind, tokenId: BigInt(key.token_id) });
      else
        dropRow(worlds.numbered(Number(key.pool)).world, keyOf(kind, worlds.numbered(Number(key.pool)).address, key));
    }
    const rows = await db.unsafe(rowsBefore(history, { fold: s, select: hexed(kind) }, block));
    for (const row of rows) {
      const { world, address } = worlds.numbered(Number(row.pool));
      restoreRow(world, toV3Row(kind, address, row));
    }
  }
  for (const { address, world } of worlds.stoppedAfter(block)) {
    const pool = world.pools.get(address);
    if (pool) pool.stopped = undefined;
  }
  const created = await db.unsafe(
    `select '0x' || encode(address, 'hex') as address from ${s}.v3_pool where created_block > ${block}`,
  );
  for (const { address } of created) worlds.remove(String(address));
}

const hexedKeys = (kind: (typeof rowKinds)[number]): string => {
  const { key } = historyOf[kind];
  return keyColumns(historyOf[kind])
    .map((column) => (key[column] === "bytea" ? `'0x' || encode(k.${column}, 'hex') as ${column}` : `k.${column}`))
    .join(", ");
};

function keyOf(kind: "pool" | "tick" | "position", pool: string, key: Record<string, unknown>) {
  if (kind === "pool") return { kind, pool } as const;
  if (kind === "tick") return { kind, pool, tick: Number(key.tick) } as const;
  const [tickLower, tickUpper] = [Number(key.tick_lower), Number(key.tick_upper)];
  return { kind, pool, owner: String(key.owner), tickLower, tickUpper } as const;
}
