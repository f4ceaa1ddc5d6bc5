// Uniswap v3 from events alone: facts in event order in, the contracts' storage and the rows that changed out.

import type { FeeProtocol } from "../concentrated/protocol-fee.ts";
import type { NftRow, PoolRow, PositionRow, TickRow, V3Row } from "../concentrated/rows.ts";
import { getSqrtRatioAtTick } from "../math/tick-math.ts";
import { ZERO_ADDRESS } from "../zero-address.ts";
import type { PoolFact, V3Fact } from "./facts.ts";
import { applyPoolFact } from "./pool-facts.ts";
import {
  applyManagerFact,
  createManager,
  type ManagerState,
  type NftState,
  rememberManagerMint,
} from "./position-manager.ts";
import { ReplayMismatchError } from "./replay-mismatch.ts";
import {
  clearSlot,
  createPool,
  findTick,
  insertPosition,
  insertTick,
  type PoolConstants,
  type PoolState,
  type PositionState,
  removePosition,
  removeTick,
} from "./state.ts";

/** Everything that is known after the facts applied so far. One world, one chain, one position manager. */
export interface V3World {
  readonly pools: Map<string, PoolState>;
  readonly manager: ManagerState;
  readonly changedPools: Set<PoolState>;
}

/** A world without pools. `manager` is the position manager's address, lower-case. */
export function createWorld({ manager }: { manager: string }): V3World {
  return { pools: new Map(), manager: createManager(manager), changedPools: new Set() };
}

/** Makes a pool known; needed before its first fact or row. */
export function addPool(world: V3World, constants: PoolConstants): void {
  if (!world.pools.has(constants.pool)) world.pools.set(constants.pool, createPool(constants));
}

/** Sets what a kodiak pool's protocol fee is right after `initialize`; needed before its `Initialize`. */
export function setInitialFeeProtocol(
  world: V3World,
  { pool, feeProtocol0, feeProtocol1 }: FeeProtocol & { pool: string },
): void {
  const state = world.pools.get(pool);
  if (state === undefined) throw new UnknownPoolError({ kind: "initial fee", pool });
  state.initialFeeProtocol0 = feeProtocol0;
  state.initialFeeProtocol1 = feeProtocol1;
}

/** Restores that a pool was stopped: it takes no more facts. */
export function restoreStop(world: V3World, mismatch: ReplayMismatchError): void {
  const state = world.pools.get(mismatch.pool);
  if (state === undefined) throw new UnknownPoolError({ kind: "stop", pool: mismatch.pool });
  state.stopped = mismatch;
}

/**
 * Applies the next fact. Facts come ordered by (block, log index), every one of them.
 * Returns the error when this fact stops its pool: the pool stays as it was before it and ignores all further facts
 * (see `PoolState.stopped`), other pools go on. Throws {@link UnknownPoolError} or `UnknownTokenIdError` when the
 * facts are incomplete; the world is as it was then.
 */
export function applyFact(world: V3World, fact: V3Fact): ReplayMismatchError | undefined {
  try {
    if ("pool" in fact) applyToPool(world, fact);
    else applyManagerFact(world.manager, fact);
    return undefined;
  } catch (error) {
    const mismatch = asMismatch(world, fact, error);
    const pool = world.pools.get(mismatch.pool);
    if (pool !== undefined) pool.stopped = mismatch;
    return mismatch;
  }
}

function applyToPool(world: V3World, fact: PoolFact): void {
  const pool = world.pools.get(fact.pool);
  if (pool === undefined) throw new UnknownPoolError(fact);
  // a token id of a stopped pool must still be distinguished from one that no fact ever named
  if (fact.kind === "mint") rememberManagerMint(world.manager, pool, fact);
  if (pool.stopped !== undefined) return;
  applyPoolFact(pool, fact);
  world.changedPools.add(pool);
}

/** Where the replay does what the contract's library would refuse, its state already differs from the chain's. */
function asMismatch(world: V3World, fact: V3Fact, error: unknown): ReplayMismatchError {
  if (error instanceof ReplayMismatchError) return error;
  const pool = "pool" in fact ? fact.pool : world.manager.nfts.get(fact.tokenId)?.pool.pool;
  // whatever is wrong with one pool must not end the replay of all
  if (pool === undefined || error instanceof UnknownPoolError || !(error instanceof Error)) throw error;
  return new ReplayMismatchError(
    { ...fact, pool },
    { field: fact.kind, expected: "accepted", replayed: error.message },
  );
}

/**
 * The rows that changed since the last call, once each, with their values now. Call it after every block: what was remembered between
 * facts of one transaction is forgotten here, so that a world restored from rows goes on exactly like this one.
 */
export function takeChanges(world: V3World): V3Row[] {
  const rows: V3Row[] = [];
  for (const pool of world.changedPools) {
    if (pool.hasChanged) rows.push(poolRow(pool));
    for (const tick of pool.changedTicks) rows.push(tickRow(pool, tick));
    for (const position of pool.changedPositions) rows.push(positionRow(pool, position));
    pool.hasChanged = false;
    pool.earned = undefined;
    pool.changedTicks.clear();
    pool.changedPositions.clear();
  }
  for (const nft of world.manager.changed.values()) rows.push(nftRow(nft));
  world.changedPools.clear();
  world.manager.changed.clear();
  world.manager.lastMint = undefined;
  world.manager.newborn = undefined;
  return rows;
}

/** Puts a row back, as of the end of some block; its pool must be known. Ended rows (see {@link V3Row}) are skipped. */
export function restoreRow(world: V3World, row: V3Row): void {
  const pool = world.pools.get(row.pool);
  if (pool === undefined) throw new UnknownPoolError(row);
  switch (row.kind) {
    case "pool": {
      const { kind: _, ...slot } = row;
      Object.assign(pool, slot);
      return;
    }
    case "tick": {
      const { kind: _, pool: __, ...tick } = row;
      if (row.liquidityGross > 0n) insertTick(pool, { ...tick, sqrtRatioX96: getSqrtRatioAtTick(row.tick) });
      return;
    }
    case "position": {
      const { kind: _, pool: __, ...position } = row;
      insertPosition(pool, position);
      return;
    }
    case "nft": {
      const { kind: _, pool: __, ...nft } = row;
      if (row.owner !== ZERO_ADDRESS) world.manager.nfts.set(row.tokenId, { ...nft, pool });
    }
  }
}

/** What identifies a row among those of its kind. */
type V3RowKey =
  | Pick<PoolRow, "kind" | "pool">
  | Pick<TickRow, "kind" | "pool" | "tick">
  | Pick<PositionRow, "kind" | "pool" | "owner" | "tickLower" | "tickUpper">
  | Pick<NftRow, "kind" | "tokenId">;

/** Takes a row out, as if no fact had ever named it; {@link restoreRow} may put an older one in its place. */
export function dropRow(world: V3World, key: V3RowKey): void {
  if (key.kind === "nft") {
    world.manager.nfts.delete(key.tokenId);
    return;
  }
  const pool = world.pools.get(key.pool);
  if (pool === undefined) throw new UnknownPoolError(key);
  if (key.kind === "tick") removeTick(pool, key.tick);
  else if (key.kind === "position") removePosition(pool, key);
  else clearSlot(pool);
}

function poolRow(state: PoolState): PoolRow {
  return {
    kind: "pool",
    pool: state.pool,
    sqrtPriceX96: state.sqrtPriceX96,
    tick: state.tick,
    liquidity: state.liquidity,
    feeGrowthGlobal0X128: state.feeGrowthGlobal0X128,
    feeGrowthGlobal1X128: state.feeGrowthGlobal1X128,
    protocolFees0: state.protocolFees0,
    protocolFees1: state.protocolFees1,
    feeProtocol0: state.feeProtocol0,
    feeProtocol1: state.feeProtocol1,
  };
}

function tickRow(pool: PoolState, tick: number): TickRow {
  const state = findTick(pool, tick);
  return {
    kind: "tick",
    pool: pool.pool,
    tick,
    liquidityGross: state?.liquidityGross ?? 0n,
    liquidityNet: state?.liquidityNet ?? 0n,
    feeGrowthOutside0X128: state?.feeGrowthOutside0X128 ?? 0n,
    feeGrowthOutside1X128: state?.feeGrowthOutside1X128 ?? 0n,
  };
}

function positionRow(pool: PoolState, state: PositionState): PositionRow {
  return { kind: "position", pool: pool.pool, ...state };
}

function nftRow({ pool, ...state }: NftState): NftRow {
  return { kind: "nft", pool: pool.pool, ...state };
}

/** A fact or row of a pool that was never added. */
export class UnknownPoolError extends Error {
  constructor({ kind, pool }: { kind: string; pool: string }) {
    super(`${kind} of pool ${pool}: add the pool before its facts and rows.`);
    this.name = "UnknownPoolError";
  }
}
