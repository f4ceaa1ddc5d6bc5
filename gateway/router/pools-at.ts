// The pools that routes may pass, as they were at the end of a block: all of them, or those alone that have changed since a
// block whose pools are in memory.

import type { PoolRow, TickRow } from "../../core/concentrated/rows.ts";
import type { Pool, V3Pool } from "../../core/router/pool.ts";
import type { V3Pool as V3PoolAt } from "../concentrated/pool.ts";
import { changedPools, everyPool } from "../concentrated/pools-at.ts";
import { readSlots, readTicks } from "../concentrated/state-at.ts";
import type { OperationContext } from "../context.ts";
import type { AsOf } from "../history/as-of.ts";
import type { BlockPoint } from "../history/point.ts";
import type { Address } from "../parameters.ts";
import { type Payout, payoutsIn, payoutsUpTo } from "./payouts.ts";
import { everyPair, movedPairs, type V2States } from "./v2-pairs.ts";

export interface PlacedPool {
  pool: Pool;
  /** The v3 factory that made it, since a router reaches the pools of its own factory alone; undefined for v2 pairs. */
  factory: Address | undefined;
}

export interface PoolsAt {
  block: number;
  hash: string | undefined;
  /** Stopped pools, those without a price and pairs that hold less than their reserves are missing; those of tokens in `taxed` are not. */
  pools: ReadonlyMap<Address, PlacedPool>;
  /** By pool and token. */
  payouts: ReadonlyMap<string, Payout>;
  /** Tokens that arrive with less than was sent: no route through them pays what it says. */
  taxed: ReadonlySet<Address>;
}

/** A constant number of statements, however many pools there are. */
export async function readAllPools(context: OperationContext, at: AsOf): Promise<PoolsAt> {
  const { chain, snapshot } = context;
  const { point } = at;
  const [v3, pairs, payouts] = await Promise.all([
    everyPool(at).then((pools) => readPools(at, pools)),
    everyPair(context, point),
    payoutsUpTo(snapshot, chain, point.block),
  ]);
  return gather(point, { before: undefined, v3, pairs, payouts });
}

/**
 * The same from those of an earlier block of the same chain: only what has changed in between is read. Undefined when the
 * earlier block lies below the last final one.
 */
export async function readMovedPools(
  context: OperationContext,
  at: AsOf,
  before: PoolsAt,
): Promise<PoolsAt | undefined> {
  const { chain, snapshot } = context;
  const { point } = at;
  const [v3, pairs, payouts] = await Promise.all([
    changedPools(at, before.block).then((moved) => moved && readPools(at, moved)),
    movedPairs(context, at, before.block),
    payoutsIn(snapshot, chain, { after: before.block, upTo: point.block }),
  ]);
  return v3 && pairs && gather(point, { before, v3, pairs, payouts });
}

/** Undefined: not to be used. */
type V3States = ReadonlyMap<Address, PlacedPool | undefined>;

async function readPools(at: AsOf, pools: readonly V3PoolAt[]): Promise<V3States> {
  const sound = pools.filter(({ stopped }) => !stopped);
  const [slots, ticks] = await Promise.all([readSlots(at, sound), readTicks(at, sound)]);
  const states = new Map<Address, PlacedPool | undefined>(pools.map(({ address }) => [address, undefined]));
  for (const one of sound) {
    const slot = slots.get(one.address);
    if (!slot) continue;
    const pool = toPool(one, slot, ticks.get(one.address) ?? new Map());
    states.set(one.address, { pool, factory: one.factory });
  }
  return states;
}

const toPool = (
  { address, token0, token1, fee, tickSpacing }: V3PoolAt,
  { sqrtPriceX96, tick, liquidity }: PoolRow,
  ticks: ReadonlyMap<number, TickRow>,
): V3Pool => ({
  kind: "v3" as const,
  address,
  token0,
  token1,
  fee,
  tickSpacing,
  sqrtPriceX96,
  tick,
  liquidity,
  ticks: [...ticks.values()]
    .map((row) => ({ tick: row.tick, liquidityNet: row.liquidityNet }))
    .sort((a, b) => a.tick - b.tick),
});

interface Gathered {
  before: PoolsAt | undefined;
  v3: V3States;
  pairs: V2States;
  payouts: readonly Payout[];
}

function gather({ block, hash }: BlockPoint, { before, v3, pairs, payouts }: Gathered): PoolsAt {
  const all = new Map(before?.pools);
  for (const [address, placed] of v3)
    if (placed) all.set(address, placed);
    else all.delete(address);
  for (const [address, pool] of pairs)
    if (pool) all.set(address, { pool, factory: undefined });
    else all.delete(address);
  const paid = new Map(before?.payouts);
  for (const payout of payouts) paid.set(`${payout.pool} ${payout.token}`, payout);
  const taxed = new Set([...paid.values()].flatMap(({ token, isWhole }) => (isWhole ? [] : [token])));
  return { block, hash, pools: all, payouts: paid, taxed };
}
