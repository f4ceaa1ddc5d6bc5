// A pool's storage as far as events show it, laid out for speed: initialised ticks as a sorted array, positions by key.
import type { PositionPoint } from "../concentrated/position-amounts.ts";
import type { V3Flavour } from "../concentrated/protocol-fee.ts";
import type { PoolSlot } from "../concentrated/rows.ts";
import type { Amounts } from "../math/liquidity-amounts.ts";
import type { TickGrowth } from "../math/tick.ts";
import type { ReplayMismatchError } from "./replay-mismatch.ts";

/** What never changes in a pool. */
export interface PoolConstants {
  pool: string;
  /** Swap fee in hundredths of a basis point: 3000 is 0.3 %. */
  fee: number;
  tickSpacing: number;
  flavour: V3Flavour;
  /**
   * Each token's protocol fee right after `initialize`: 0 and 0 in the `uniswap` flavour; the `kodiak` factory's
   * default, which is in no event.
   */
  initialFeeProtocol0: number;
  initialFeeProtocol1: number;
}

export interface TickState extends TickGrowth {
  readonly tick: number;
  readonly sqrtRatioX96: bigint;
  liquidityGross: bigint;
  liquidityNet: bigint;
}

export interface PositionState extends PositionPoint {
  readonly owner: string;
  readonly tickLower: number;
  readonly tickUpper: number;
}

/** Its price is 0 until `Initialize`. */
export interface PoolState extends PoolConstants, PoolSlot {
  readonly feePips: bigint;
  /** Initialised ticks, ascending. */
  readonly ticks: TickState[];
  readonly positions: Map<string, PositionState>;
  /** `ProtocolFeesEarned` that waits for its `Swap`. */
  earned: Amounts | undefined;
  /** Set once the replay and the events differ: this pool takes no more facts. */
  stopped: ReplayMismatchError | undefined;
  hasChanged: boolean;
  readonly changedTicks: Set<number>;
  readonly changedPositions: Set<PositionState>;
}

/** Before `Initialize`. */
const emptySlot: PoolSlot = {
  sqrtPriceX96: 0n,
  tick: 0,
  liquidity: 0n,
  feeGrowthGlobal0X128: 0n,
  feeGrowthGlobal1X128: 0n,
  protocolFees0: 0n,
  protocolFees1: 0n,
  feeProtocol0: 0,
  feeProtocol1: 0,
};

/** What a position and a token id begin with. */
export const emptyClaim = {
  liquidity: 0n,
  feeGrowthInside0LastX128: 0n,
  feeGrowthInside1LastX128: 0n,
  tokensOwed0: 0n,
  tokensOwed1: 0n,
};

/** Puts the pool back to before its `Initialize`; ticks and positions stay. */
export function clearSlot(pool: PoolState): void {
  Object.assign(pool, emptySlot);
}

export function createPool(constants: PoolConstants): PoolState {
  return {
    ...constants,
    ...emptySlot,
    feePips: BigInt(constants.fee),
    ticks: [],
    positions: new Map(),
    earned: undefined,
    stopped: undefined,
    hasChanged: false,
    changedTicks: new Set(),
    changedPositions: new Set(),
  };
}

/** Index of the first initialised tick above `tick`; the one before it is the last at or below. */
export function indexAbove(ticks: readonly TickState[], tick: number): number {
  let low = 0;
  let high = ticks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ticks[middle] as TickState).tick <= tick) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function findTick(pool: PoolState, tick: number): TickState | undefined {
  const found = pool.ticks[indexAbove(pool.ticks, tick) - 1];
  return found?.tick === tick ? found : undefined;
}

export function insertTick(pool: PoolState, tick: TickState): void {
  pool.ticks.splice(indexAbove(pool.ticks, tick.tick), 0, tick);
}

export function removeTick(pool: PoolState, tick: number): void {
  const index = indexAbove(pool.ticks, tick) - 1;
  if (pool.ticks[index]?.tick === tick) pool.ticks.splice(index, 1);
}

interface PositionKey {
  owner: string;
  tickLower: number;
  tickUpper: number;
}

export function findPosition(pool: PoolState, key: PositionKey): PositionState | undefined {
  return pool.positions.get(positionKey(key));
}

export function insertPosition(pool: PoolState, position: PositionState): void {
  pool.positions.set(positionKey(position), position);
}

export function removePosition(pool: PoolState, key: PositionKey): void {
  pool.positions.delete(positionKey(key));
}

function positionKey({ owner, tickLower, tickUpper }: PositionKey): string {
  return `${owner}:${tickLower}:${tickUpper}`;
}
