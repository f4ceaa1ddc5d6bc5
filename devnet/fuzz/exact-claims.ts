// Averages by their definition: from every single block, in fractions, without any code of core/averages.

import type { PoolPoint, PositionPoint } from "../../core/concentrated/position-amounts.ts";
import { getSqrtRatioAtTick } from "../../core/math/tick-math.ts";

/** A pool's storage at the end of a block. */
export interface PoolThen {
  slot: PoolPoint | undefined;
  ticks: { get(tick: number): { feeGrowthOutside0X128: bigint; feeGrowthOutside1X128: bigint } | undefined };
}

/** Growth inside of a range, as the contract counts it. */
export function insideThen({ slot, ticks }: PoolThen, lower: number, upper: number): [bigint, bigint] {
  const [low, high] = [ticks.get(lower), ticks.get(upper)];
  if (slot === undefined || low === undefined || high === undefined) {
    throw new Error(`no price or no ticks for ${lower}…${upper}`);
  }
  const of = (outsideLow: bigint, outsideHigh: bigint, global: bigint): bigint => {
    const below = slot.tick >= lower ? outsideLow : global - outsideLow;
    const above = slot.tick < upper ? outsideHigh : global - outsideHigh;
    return BigInt.asUintN(256, global - below - above);
  };
  return [
    of(low.feeGrowthOutside0X128, high.feeGrowthOutside0X128, slot.feeGrowthGlobal0X128),
    of(low.feeGrowthOutside1X128, high.feeGrowthOutside1X128, slot.feeGrowthGlobal1X128),
  ];
}

export interface Ratio {
  over: bigint;
  under: bigint;
}

export const plus = (a: Ratio, b: Ratio): Ratio =>
  a.under === b.under
    ? { over: a.over + b.over, under: a.under }
    : { over: a.over * b.under + b.over * a.under, under: a.under * b.under };

export const NONE: Ratio = { over: 0n, under: 1n };

export interface ClaimThen {
  principal: [Ratio, Ratio];
  fees: [Ratio, Ratio];
}

/** The position's claim at the end of a block: the three cases of the whitepaper, by the pool's tick. */
export function claimThen(end: PoolThen, position: PositionPoint): ClaimThen {
  const { tickLower, tickUpper, liquidity } = position;
  const owed: [Ratio, Ratio] = [
    { over: position.tokensOwed0, under: 1n },
    { over: position.tokensOwed1, under: 1n },
  ];
  if (liquidity === 0n) return { principal: [NONE, NONE], fees: owed };
  const [low, high] = [getSqrtRatioAtTick(tickLower), getSqrtRatioAtTick(tickUpper)];
  const amount0 = (a: bigint, b: bigint): Ratio => ({ over: (liquidity << 96n) * (b - a), under: a * b });
  const amount1 = (a: bigint, b: bigint): Ratio => ({ over: liquidity * (b - a), under: 2n ** 96n });
  if (end.slot === undefined) throw new Error(`liquidity in ${tickLower}…${tickUpper} before there is a price`);
  const { tick, sqrtPriceX96 } = end.slot;
  const principal: [Ratio, Ratio] =
    tick < tickLower
      ? [amount0(low, high), NONE]
      : tick < tickUpper
        ? [amount0(sqrtPriceX96, high), amount1(low, sqrtPriceX96)]
        : [NONE, amount1(low, high)];
  const [inside0, inside1] = insideThen(end, tickLower, tickUpper);
  const earned = (inside: bigint, last: bigint): Ratio => ({
    over: BigInt.asUintN(256, inside - last) * liquidity,
    under: 2n ** 128n,
  });
  return {
    principal,
    fees: [
      plus(owed[0], earned(inside0, position.feeGrowthInside0LastX128)),
      plus(owed[1], earned(inside1, position.feeGrowthInside1LastX128)),
    ],
  };
}

/** Σ weight · claim over blocks, token 0 and token 1. */
export function bruteClaims(
  blocks: Iterable<{ pool: PoolThen; position: PositionPoint; weight: bigint }>,
): [Ratio, Ratio] {
  const sums: [Ratio, Ratio] = [NONE, NONE];
  for (const { pool, position, weight } of blocks) {
    const { principal, fees } = claimThen(pool, position);
    for (const token of [0, 1] as const) {
      const { over, under } = plus(principal[token], fees[token]);
      sums[token] = plus(sums[token], { over: over * weight, under });
    }
  }
  return sums;
}
