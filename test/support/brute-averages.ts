// What averages are by their definition: every block looked at by itself, in fractions, with nothing of core/averages.
import { getSqrtRatioAtTick } from "../../core/math/tick-math.ts";
import { type BlockEnd, insideThen, type PositionThen } from "./pool-blocks.ts";

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
export function claimThen(end: BlockEnd, position: PositionThen): ClaimThen {
  const { tickLower, tickUpper, liquidity } = position;
  const owed: [Ratio, Ratio] = [
    { over: position.tokensOwed0, under: 1n },
    { over: position.tokensOwed1, under: 1n },
  ];
  if (liquidity === 0n) return { principal: [NONE, NONE], fees: owed };
  const [low, high] = [getSqrtRatioAtTick(tickLower), getSqrtRatioAtTick(tickUpper)];
  const amount0 = (a: bigint, b: bigint): Ratio => ({ over: (liquidity << 96n) * (b - a), under: a * b });
  const amount1 = (a: bigint, b: bigint): Ratio => ({ over: liquidity * (b - a), under: 2n ** 96n });
  const { tick, sqrtPriceX96 } = end.slot!;
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

/** Σ weight · claim over blocks `from` to before `until`, token 0 and token 1. */
export function bruteClaims(
  ends: readonly BlockEnd[],
  positionAt: (end: BlockEnd) => PositionThen,
  { from, until, weightOf }: { from: number; until: number; weightOf: (block: number) => bigint },
): [Ratio, Ratio] {
  const sums: [Ratio, Ratio] = [NONE, NONE];
  for (let block = from; block < until; block++) {
    const end = ends[block]!;
    const { principal, fees } = claimThen(end, positionAt(end));
    for (const token of [0, 1] as const) {
      const { over, under } = plus(principal[token], fees[token]);
      sums[token] = plus(sums[token], { over: over * weightOf(block), under });
    }
  }
  return sums;
}
