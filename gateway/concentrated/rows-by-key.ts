// Single positions and ticks of v3 pools at a block, found by their keys.
import type { PositionRow, TickRow } from "../../core/concentrated/rows.ts";
import { changing } from "../database/recent-changes.ts";
import type { AsOf } from "../history/as-of.ts";
import { listParameter } from "../history/sql-values.ts";
import type { V3Pool } from "./pool.ts";
import { positionKey } from "./state-at.ts";
import { addressesById, rowsOfEach, type StoredRow, toRow } from "./stored-rows.ts";

const EACH = {
  position: {
    wanted: `unnest(${listParameter(2, "int4")}, ${listParameter(3)}, ${listParameter(4, "int4")},
                   ${listParameter(5, "int4")}) wanted(pool, owner, tick_lower, tick_upper)`,
    key: {
      pool: "wanted.pool",
      owner: "decode(substr(wanted.owner, 3), 'hex')",
      tick_lower: "wanted.tick_lower",
      tick_upper: "wanted.tick_upper",
    },
  },
  tick: {
    wanted: `unnest(${listParameter(2, "int4")}, ${listParameter(3, "int4")}) wanted(pool, tick)`,
    key: { pool: "wanted.pool", tick: "wanted.tick" },
  },
  nft: {
    wanted: `unnest(${listParameter(2)}, ${listParameter(3, "numeric")}) wanted(manager, token_id)`,
    key: { manager: "decode(substr(wanted.manager, 3), 'hex')", token_id: "wanted.token_id" },
  },
};

/** The stored rows of `wanted`, lists of values of the columns in {@link EACH}. */
export async function readEach(
  at: AsOf,
  kind: keyof typeof EACH,
  wanted: readonly (readonly (string | number)[])[],
): Promise<StoredRow[]> {
  const [one] = wanted;
  if (!one) return [];
  const columns = one.map((_, column) => wanted.map((values) => values[column]).join(","));
  const text = rowsOfEach(kind, at, EACH[kind]);
  if (kind === "nft") return at.cached<StoredRow>(text, [String(at.point.block), ...columns]);
  const things = wanted.map(([pool]) => changing.v3Pool(Number(pool)));
  return at.cachedSince<StoredRow>(text, (block) => [block, ...columns], things);
}

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
