// Single positions and ticks of v3 pools at a block, found by their keys.
import type { PositionRow, TickRow } from "../../core/concentrated/rows.ts";
import type { AsOf } from "../history/as-of.ts";
import type { V3Pool } from "./pool.ts";
import { positionKey } from "./state-at.ts";
import { readEach } from "./stored-by-key.ts";
import { addressesById, toRow } from "./stored-rows.ts";

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

/** By pool and {@link positionKey}, in whatever state. */
export async function readPositionsBy(
  at: AsOf,
  wanted: readonly PositionAt[],
): Promise<Map<string, Map<string, PositionRow>>> {
  const keys = wanted.map(({ pool, owner, tickLower, tickUpper }) => [pool.id, owner, tickLower, tickUpper] as const);
  const stored = await readEach(at, "position", distinct(keys));
  const addresses = addressesById(wanted.map(({ pool }) => pool));
  return byPool(
    stored.map((one) => toRow("position", addresses, one)),
    positionKey,
  );
}

/** By pool and tick; those that are initialised. */
export async function readTicksBy(at: AsOf, wanted: readonly TickAt[]): Promise<Map<string, Map<number, TickRow>>> {
  const keys = wanted.map(({ pool, tick }) => [pool.id, tick] as const);
  const stored = await readEach(at, "tick", distinct(keys));
  const addresses = addressesById(wanted.map(({ pool }) => pool));
  return byPool(
    stored.map((one) => toRow("tick", addresses, one)),
    ({ tick }) => tick,
  );
}

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
