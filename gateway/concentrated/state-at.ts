// The state of v3 pools at the end of a block.
import type { NftRow, PoolRow, PositionRow, TickRow } from "../../core/concentrated/rows.ts";
import { question } from "../cache/question.ts";
import { changing } from "../database/recent-changes.ts";
import { type AsOf, placeOfThings } from "../history/as-of.ts";
import { readMany } from "../history/many-rows.ts";
import type { V3Pool } from "./pool.ts";
import { addressesById, columnNames, rowsOfPools, storedRow, toRow } from "./stored-rows.ts";

export interface V3PoolState {
  pool: V3Pool;
  /** Undefined until `initialize`. */
  slot: PoolRow | undefined;
  ticks: ReadonlyMap<number, TickRow>;
  /** The pool's own positions that are worth anything, by {@link positionKey}; those of the position manager too. */
  positions: ReadonlyMap<string, PositionRow>;
  /** Token ids that are worth anything. */
  nfts: readonly NftRow[];
}

export const positionKey = (position: { owner: string; tickLower: number; tickUpper: number }): string =>
  `${position.owner} ${position.tickLower} ${position.tickUpper}`;

/** The rows of one kind by pool, in the order of the tables. */
async function readRows<Kind extends "pool" | "tick" | "position" | "nft">(
  { fold, point, prepared }: Pick<AsOf, "fold" | "point" | "prepared">,
  pools: readonly V3Pool[],
  kind: Kind,
): Promise<Map<string, ReturnType<typeof toRow<Kind>>[]>> {
  const addresses = addressesById(pools);
  const byPool = new Map<string, ReturnType<typeof toRow<Kind>>[]>();
  if (addresses.size === 0) return byPool;
  const parameters = [[...addresses.keys()].join(","), String(point.block)];
  const columns = columnNames(kind);
  const many = await readMany(prepared, { text: rowsOfPools(kind, { fold }), parameters }, columns);
  for (let i = 0; i < many.length; i += columns.length) {
    const row = toRow(kind, addresses, storedRow(columns, many, i));
    const rows = byPool.get(row.pool);
    if (rows) rows.push(row);
    else byPool.set(row.pool, [row]);
  }
  return byPool;
}

const fromCache = ({ fold, point, cachedSince }: AsOf, pools: readonly V3Pool[]) => ({
  fold,
  point,
  prepared: <T extends object>(text: string, [ids = ""]: string[]) =>
    cachedSince<T>(
      text,
      (block) => [ids, block],
      pools.map(({ id }) => changing.v3Pool(id)),
    ),
});

/** Price, liquidity and fees of each pool, by address; pools not initialised yet are missing. */
export async function readSlots(at: AsOf, pools: readonly V3Pool[]): Promise<Map<string, PoolRow>> {
  const slots = new Map<string, PoolRow>();
  for (const [pool, [slot]] of await readRows(fromCache(at, pools), pools, "pool")) if (slot) slots.set(pool, slot);
  return slots;
}

/** Initialised ticks of each pool, by address and tick. */
export async function readTicks(at: AsOf, pools: readonly V3Pool[]): Promise<Map<string, Map<number, TickRow>>> {
  const stored = await readRows(fromCache(at, pools), pools, "tick");
  return new Map(
    pools.map(({ address }) => [address, new Map((stored.get(address) ?? []).map((row) => [row.tick, row]))]),
  );
}

/** Everything about `pools`, in their order. */
export async function readPoolStates(at: AsOf, pools: readonly V3Pool[]): Promise<V3PoolState[]> {
  const [slots, ticks, positions, nfts] = await Promise.all([
    readSlots(at, pools),
    readTicks(at, pools),
    readRows(at, pools, "position"),
    readRows(at, pools, "nft"),
  ]);
  return pools.map((pool) => ({
    pool,
    slot: slots.get(pool.address),
    ticks: ticks.get(pool.address) ?? new Map(),
    positions: new Map((positions.get(pool.address) ?? []).map((row) => [positionKey(row), row])),
    nfts: nfts.get(pool.address) ?? [],
  }));
}

const poolStates = question<V3PoolState>("v3-pool-states");

/** The same from the cache: the states of one token's pools are wanted for the other tokens too. */
export function cachedPoolStates(at: AsOf, pools: readonly V3Pool[]): Promise<V3PoolState[]> {
  const placeOf = ({ id, address }: V3Pool) =>
    placeOfThings(at.point, address, [changing.v3Pool(id), changing.v3Pools]);
  return at.cache.ofEach(poolStates, { items: pools, placeOf }, (missing) => readPoolStates(at, missing));
}
