// The pools that routes may pass, as they were at the end of a block: all of them from the fold and the facts above it, or
// those alone that moved since a block whose pools are known.
import type { Pool, V2Pool, V3Pool } from "../../core/router/pool.ts";
import type { PoolRow, TickRow } from "../../core/v3/rows.ts";
import type { OperationContext } from "../context.ts";
import { asOf } from "../ledger/as-of.ts";
import type { FactsScope } from "../ledger/facts-scope.ts";
import type { BlockPoint } from "../ledger/point.ts";
import type { Address } from "../parameters.ts";
import { readV3Overlay } from "../v3/overlay.ts";
import type { V3Pool as KnownPool } from "../v3/pool.ts";
import { everyPool, poolsAmong } from "../v3/pools-at.ts";
import { readSlots, readTicks, type V3Source } from "../v3/state-at.ts";
import { everyPair, type FactRange, lastPayouts, type Payout, syncedPairs } from "./v2-pairs.ts";

export interface PlacedPool {
  pool: Pool;
  /** The v3 factory that made it, since a router reaches the pools of its own factory alone; undefined for v2 pairs. */
  factory: Address | undefined;
}

export interface PoolsAt {
  block: number;
  hash: string;
  /** Stopped pools and those without a price are missing; those of tokens in `taxed` are not. */
  pools: ReadonlyMap<Address, PlacedPool>;
  /** Pools whose state waits for a read of the chain; missing in `pools`. */
  pending: ReadonlySet<Address>;
  /** By pair and token. */
  payouts: ReadonlyMap<string, Payout>;
  /** Tokens that arrive with less than was sent: no route through them pays what it says. */
  taxed: ReadonlySet<Address>;
}

export type KnownPoint = BlockPoint & { hash: string };

/** A constant number of statements, however many pools there are. */
export async function readAllPools(context: OperationContext, point: KnownPoint): Promise<PoolsAt> {
  const { chain, snapshot } = context;
  const source = await sourceAt(context, point);
  const v3 = await everyPool(source);
  const pairs = await everyPair(context, point);
  const range = { after: -1, upTo: point.block };
  const payouts = await snapshot.withFacts((facts) => lastPayouts(facts, chain, range));
  return gather(point, { known: undefined, v3: await readStates(source, v3), pairs, payouts });
}

/** The same from what is known of an earlier block of the same chain: only pools with facts in between are read. */
export async function readMovedPools(context: OperationContext, point: KnownPoint, known: PoolsAt): Promise<PoolsAt> {
  const { chain, snapshot } = context;
  const range = { after: known.block, upTo: point.block };
  const { moved, pairs, payouts } = await snapshot.withFacts(async (facts) => ({
    moved: await movedPools(facts, range),
    pairs: await syncedPairs(facts, chain, range),
    payouts: await lastPayouts(facts, chain, range),
  }));
  const asked = [...new Set([...moved, ...known.pending])];
  if (asked.length === 0) return gather(point, { known, v3: NO_STATES, pairs, payouts });
  const source = await sourceAt(context, point);
  return gather(point, { known, v3: await readStates(source, await poolsAmong(source, asked)), pairs, payouts });
}

const sourceAt = async (context: OperationContext, point: BlockPoint): Promise<V3Source> => ({
  at: asOf(context.snapshot, point),
  overlay: await readV3Overlay(context, point),
});

/** v3 pools that began in the range, or with a fact in it: it may change what swaps pay, or show that a pool is unsound. */
async function movedPools({ rows, schemas }: FactsScope, { after, upTo }: FactRange): Promise<Address[]> {
  const tables = ["v3_pool_created", "v3_initialize", "v3_swap", "v3_liquidity", "v3_flash", "v3_protocol_fee"];
  const found = await rows<{ pool: Address }>(
    tables
      .map((table) => `select pool from ${schemas.ponder}.${table} where block > ${after} and block <= ${upTo}`)
      .join(" union "),
  );
  return found.map(({ pool }) => pool);
}

interface V3States {
  /** Every pool looked at; without a state: not to be used. */
  states: ReadonlyMap<Address, PlacedPool | undefined>;
  pending: ReadonlySet<Address>;
}

const NO_STATES: V3States = { states: new Map(), pending: new Set() };

async function readStates(source: V3Source, pools: readonly KnownPool[]): Promise<V3States> {
  const sound = pools.filter(({ stopped, isPending }) => !stopped && !isPending);
  const slots = await readSlots(source, sound);
  const ticks = await readTicks(source, sound);
  const states = new Map<Address, PlacedPool | undefined>(pools.map(({ address }) => [address, undefined]));
  for (const known of sound) {
    const slot = slots.get(known.address);
    if (!slot) continue;
    const pool = toPool(known, slot, ticks.get(known.address) ?? new Map());
    states.set(known.address, { pool, factory: known.factory });
  }
  const pending = new Set(pools.filter(({ isPending }) => isPending).map(({ address }) => address));
  return { states, pending };
}

const toPool = (
  { address, token0, token1, fee, tickSpacing }: KnownPool,
  { sqrtPriceX96, tick, liquidity }: PoolRow,
  ticks: ReadonlyMap<number, TickRow>,
): V3Pool => ({
  ...{ kind: "v3" as const, address, token0, token1, fee, tickSpacing, sqrtPriceX96, tick, liquidity },
  ticks: [...ticks.values()]
    .map((row) => ({ tick: row.tick, liquidityNet: row.liquidityNet }))
    .sort((a, b) => a.tick - b.tick),
});

interface Gathered {
  known: PoolsAt | undefined;
  v3: V3States;
  pairs: readonly V2Pool[];
  payouts: readonly Payout[];
}

function gather({ block, hash }: KnownPoint, { known, v3, pairs, payouts }: Gathered): PoolsAt {
  const all = new Map(known?.pools);
  for (const [address, placed] of v3.states)
    if (placed) all.set(address, placed);
    else all.delete(address);
  for (const pool of pairs) all.set(pool.address as Address, { pool, factory: undefined });
  const paid = new Map(known?.payouts);
  for (const payout of payouts) paid.set(`${payout.pair} ${payout.token}`, payout);
  const taxed = new Set([...paid.values()].flatMap(({ token, isWhole }) => (isWhole ? [] : [token])));
  return { block, hash, pools: all, pending: v3.pending, payouts: paid, taxed };
}
