// Single positions and ticks of v3 pools at a block, found by their keys.
import type { PositionRow, TickRow } from "../../core/v3/rows.ts";
import type { V3Pool } from "./pool.ts";
import { positionKey, type V3Source } from "./state-at.ts";
import { readEach } from "./stored-by-key.ts";
import { toRow } from "./stored-rows.ts";

interface TickAt {
  pool: V3Pool;
  tick: number;
}

interface PositionAt {
  pool: V3Pool;
  owner: string;
  tickLower: number;
  tickUpper: number;
}

const distinct = <Key extends readonly (string | number)[]>(keys: readonly Key[]): Key[] => [
  ...new Map(keys.map((key) => [key.join(" "), key])).values(),
];

const addressesOf = (pools: readonly V3Pool[]): ReadonlyMap<number, string> =>
  new Map(pools.flatMap(({ id, address }) => (id === undefined ? [] : [[id, address] as const])));

/** Above the watermark everything that has changed in a pool replaces what is stored. */
const changedIn = <Row>(pools: readonly V3Pool[], changes: ReadonlyMap<string, readonly Row[]>): Row[] =>
  [...new Set(pools.map(({ address }) => address))].flatMap((address) => changes.get(address) ?? []);

/** By pool and {@link positionKey}, in whatever state; there may be others of the same pools among them. */
export async function readPositionsBy(
  { at, overlay }: V3Source,
  asked: readonly PositionAt[],
): Promise<Map<string, Map<string, PositionRow>>> {
  const keys = asked.flatMap(({ pool, owner, tickLower, tickUpper }) =>
    pool.id === undefined ? [] : [[pool.id, owner, tickLower, tickUpper] as const],
  );
  const stored = await readEach(at, "position", distinct(keys));
  const pools = asked.map(({ pool }) => pool);
  const addresses = addressesOf(pools);
  const rows = [...stored.map((one) => toRow("position", addresses, one)), ...changedIn(pools, overlay.positions)];
  return byPool(rows, positionKey);
}

/** By pool and tick; those that are initialised. There may be others of the same pools among them. */
export async function readTicksBy(
  { at, overlay }: V3Source,
  asked: readonly TickAt[],
): Promise<Map<string, Map<number, TickRow>>> {
  const keys = asked.flatMap(({ pool, tick }) => (pool.id === undefined ? [] : [[pool.id, tick] as const]));
  const stored = await readEach(at, "tick", distinct(keys));
  const pools = asked.map(({ pool }) => pool);
  const addresses = addressesOf(pools);
  const rows = [...stored.map((one) => toRow("tick", addresses, one)), ...changedIn(pools, overlay.ticks)];
  const ticks = byPool(rows, ({ tick }) => tick);
  for (const own of ticks.values())
    for (const [tick, { liquidityGross }] of own) if (liquidityGross === 0n) own.delete(tick);
  return ticks;
}

/** Later ones in place of earlier ones. */
function byPool<Row extends { pool: string }, Key>(
  rows: readonly Row[],
  keyOf: (row: Row) => Key,
): Map<string, Map<Key, Row>> {
  const found = new Map<string, Map<Key, Row>>();
  for (const row of rows) {
    const own = found.get(row.pool) ?? new Map<Key, Row>();
    found.set(row.pool, own.set(keyOf(row), row));
  }
  return found;
}
