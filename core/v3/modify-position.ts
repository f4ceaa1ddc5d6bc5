// Liquidity in, liquidity out, and payment of what is owed: the pool's own positions.
// v3-core UniswapV3Pool.sol `mint`, `burn`, `collect`, `_modifyPosition`, `_updatePosition`;
// contracts/libraries/Tick.sol `update`, contracts/libraries/Position.sol `update`
import { principalRoundingDown, principalRoundingUp } from "../concentrated/principal.ts";
import type { Amounts } from "../math/liquidity-amounts.ts";
import { addDelta } from "../math/liquidity-math.ts";
import { feesEarnedRoundingDown, getFeeGrowthInside } from "../math/tick.ts";
import { getSqrtRatioAtTick } from "../math/tick-math.ts";
import type { BurnFact, CollectFact, MintFact } from "./facts.ts";
import { ReplayMismatchError, requireEqual } from "./replay-mismatch.ts";
import {
  emptyClaim,
  findPosition,
  findTick,
  insertPosition,
  insertTick,
  type PoolState,
  type PositionState,
  removeTick,
  type TickState,
} from "./state.ts";

/** Adds liquidity. Throws {@link ReplayMismatchError} when the price gives other amounts than the event. */
export function applyMint(pool: PoolState, fact: MintFact): void {
  requireSameAmounts(fact, principalRoundingUp(pool, { ...fact, liquidity: fact.amount }));
  let position = findPosition(pool, fact);
  if (position === undefined) {
    position = emptyPosition(fact);
    insertPosition(pool, position);
  }
  modifyPosition(pool, position, fact.amount);
}

/** Takes liquidity out into `tokensOwed`; an amount of 0 only credits fees. Throws {@link ReplayMismatchError}. */
export function applyBurn(pool: PoolState, fact: BurnFact): void {
  const position = findPosition(pool, fact);
  const liquidity = position?.liquidity ?? 0n;
  if (position === undefined || liquidity === 0n || liquidity < fact.amount) {
    throw new ReplayMismatchError(fact, { field: "amount", expected: fact.amount, replayed: liquidity });
  }
  requireSameAmounts(fact, principalRoundingDown(pool, { ...fact, liquidity: fact.amount }));
  modifyPosition(pool, position, -fact.amount);
  position.tokensOwed0 = BigInt.asUintN(128, position.tokensOwed0 + fact.amount0);
  position.tokensOwed1 = BigInt.asUintN(128, position.tokensOwed1 + fact.amount1);
}

/** Pays out of `tokensOwed`. Throws {@link ReplayMismatchError} when the event pays more than is owed. */
export function applyCollect(pool: PoolState, fact: CollectFact): void {
  const position = findPosition(pool, fact);
  const [owed0, owed1] = [position?.tokensOwed0 ?? 0n, position?.tokensOwed1 ?? 0n];
  if (fact.amount0 > owed0) throw new ReplayMismatchError(fact, paidTooMuch("amount0", fact.amount0, owed0));
  if (fact.amount1 > owed1) throw new ReplayMismatchError(fact, paidTooMuch("amount1", fact.amount1, owed1));
  // anyone may collect nothing from a position that never was
  if (position === undefined) return;
  position.tokensOwed0 = owed0 - fact.amount0;
  position.tokensOwed1 = owed1 - fact.amount1;
  pool.changedPositions.add(position);
}

function modifyPosition(pool: PoolState, position: PositionState, liquidityDelta: bigint): void {
  const { tickLower, tickUpper } = position;
  const lower = findTick(pool, tickLower) ?? emptyTick(tickLower);
  const upper = findTick(pool, tickUpper) ?? emptyTick(tickUpper);
  const isInRange = pool.tick >= tickLower && pool.tick < tickUpper;
  const poolLiquidityAfter = isInRange ? addDelta(pool.liquidity, liquidityDelta) : pool.liquidity;
  if (liquidityDelta !== 0n) {
    updateTick(pool, lower, { liquidityDelta, netDelta: liquidityDelta });
    updateTick(pool, upper, { liquidityDelta, netDelta: -liquidityDelta });
  }
  const inside = getFeeGrowthInside(lower, upper, pool);
  creditFees(position, inside.feeGrowth0X128, inside.feeGrowth1X128);
  position.liquidity = addDelta(position.liquidity, liquidityDelta);
  if (lower.liquidityGross === 0n) removeTick(pool, tickLower);
  if (upper.liquidityGross === 0n) removeTick(pool, tickUpper);
  pool.changedPositions.add(position);
  if (poolLiquidityAfter !== pool.liquidity) {
    pool.liquidity = poolLiquidityAfter;
    pool.hasChanged = true;
  }
}

function updateTick(pool: PoolState, tick: TickState, change: { liquidityDelta: bigint; netDelta: bigint }): void {
  if (tick.liquidityGross === 0n) {
    // by convention all growth before a tick was initialised happened below it
    if (tick.tick <= pool.tick) {
      tick.feeGrowthOutside0X128 = pool.feeGrowthGlobal0X128;
      tick.feeGrowthOutside1X128 = pool.feeGrowthGlobal1X128;
    }
    insertTick(pool, tick);
  }
  tick.liquidityGross = addDelta(tick.liquidityGross, change.liquidityDelta);
  tick.liquidityNet += change.netDelta;
  pool.changedTicks.add(tick.tick);
}

/** `Position.update`: fees since the last touch become owed, wrapping at 2^128. */
function creditFees(position: PositionState, inside0: bigint, inside1: bigint): void {
  const { liquidity } = position;
  const fees0 = feesEarnedRoundingDown(inside0, position.feeGrowthInside0LastX128, liquidity);
  const fees1 = feesEarnedRoundingDown(inside1, position.feeGrowthInside1LastX128, liquidity);
  position.tokensOwed0 = BigInt.asUintN(128, position.tokensOwed0 + fees0);
  position.tokensOwed1 = BigInt.asUintN(128, position.tokensOwed1 + fees1);
  position.feeGrowthInside0LastX128 = inside0;
  position.feeGrowthInside1LastX128 = inside1;
}

function emptyPosition({ owner, tickLower, tickUpper }: MintFact): PositionState {
  return { owner, tickLower, tickUpper, ...emptyClaim };
}

function emptyTick(tick: number): TickState {
  return {
    tick,
    sqrtRatioX96: getSqrtRatioAtTick(tick),
    liquidityGross: 0n,
    liquidityNet: 0n,
    feeGrowthOutside0X128: 0n,
    feeGrowthOutside1X128: 0n,
  };
}

function requireSameAmounts(fact: MintFact | BurnFact, { amount0, amount1 }: Amounts): void {
  requireEqual(fact, { field: "amount0", expected: fact.amount0, replayed: amount0 });
  requireEqual(fact, { field: "amount1", expected: fact.amount1, replayed: amount1 });
}

function paidTooMuch(field: string, expected: bigint, owed: bigint) {
  return { field, expected, replayed: `at most ${owed}` };
}
