// A v3 pool block by block, drawn from a seed: what its storage was at the end of every block, moved by the rules of
// v3-core's Tick.sol and Position.sol alone. Prices jump; swap arithmetic has no part in it.

import type { PositionPoint } from "../../core/concentrated/position-amounts.ts";
import { getSqrtRatioAtTick } from "../../core/math/tick-math.ts";
import { insideThen, type PoolThen } from "../../devnet/fuzz/exact-claims.ts";

export interface TickThen {
  gross: bigint;
  feeGrowthOutside0X128: bigint;
  feeGrowthOutside1X128: bigint;
}

export interface BlockEnd {
  slot: PoolThen["slot"];
  ticks: Map<number, TickThen>;
  positions: PositionPoint[];
}

const modulo = (value: bigint): bigint => BigInt.asUintN(256, value);

interface Plan {
  draw: () => number;
  blocks: number;
  positions: number;
  /** Growth begins shortly before 2^256. */
  isWrapping: boolean;
}

/** Block ends number 0 to `blocks`; the pool may get its price at a later one. */
export function drawPoolBlocks({ draw, blocks, positions: count, isWrapping }: Plan): BlockEnd[] {
  const int = (most: number): number => Math.floor(draw() * most);
  const spread = [10, 400, 200_000][int(3)]!;
  const drawTick = (): number => int(2 * spread) - spread;
  const grid = Array.from({ length: 2 + int(8) }, drawTick).concat(-887272, 887272);
  const ranges = Array.from({ length: count }, () => drawRange(grid, int));
  const now: BlockEnd = {
    slot: undefined,
    ticks: new Map(),
    positions: ranges.map(([tickLower, tickUpper]) => ({ ...EMPTY, tickLower, tickUpper })),
  };
  const firstPrice = draw() < 0.7 ? 0 : int(blocks);
  const ends: BlockEnd[] = [];
  for (let block = 0; block <= blocks; block++) {
    if (block === firstPrice) {
      const growth = () => (isWrapping ? 2n ** 256n - BigInt(int(1000)) * 2n ** 130n : 0n);
      now.slot = { ...priceAt(drawTick()), feeGrowthGlobal0X128: growth(), feeGrowthGlobal1X128: growth() };
    }
    if (now.slot !== undefined) {
      for (let i = int(4); i > 0; i--) {
        if (draw() < 0.5) swap(now, drawPlace(grid, { int, drawTick }), [growthOf(int), growthOf(int)]);
        else touch(now, now.positions[int(count)]!, { int, draw });
      }
    }
    ends.push(structuredClone(now));
  }
  return ends;
}

const EMPTY = {
  liquidity: 0n,
  feeGrowthInside0LastX128: 0n,
  feeGrowthInside1LastX128: 0n,
  tokensOwed0: 0n,
  tokensOwed1: 0n,
};

function drawRange(grid: number[], int: (most: number) => number): [number, number] {
  for (;;) {
    const [a, b] = [grid[int(grid.length)]!, grid[int(grid.length)]!];
    if (a < b) return [a, b];
  }
}

const growthOf = (int: (most: number) => number): bigint =>
  int(3) === 0 ? 0n : BigInt(int(1_000_000)) * 2n ** BigInt(int(125));

const priceAt = (tick: number) => ({ tick, sqrtPriceX96: getSqrtRatioAtTick(tick) });

/** Within a tick, at its price, or at the price of the one above: where a swap downwards stopped on a boundary. */
function drawPlace(
  grid: number[],
  { int, drawTick }: { int: (most: number) => number; drawTick: () => number },
): { tick: number; sqrtPriceX96: bigint } {
  const tick = int(3) === 0 ? grid[int(grid.length - 2)]! : drawTick();
  const low = getSqrtRatioAtTick(tick);
  const high = getSqrtRatioAtTick(tick + 1);
  const within = low + ((high - low) * BigInt(int(1000))) / 1000n;
  return [
    { tick, sqrtPriceX96: low },
    { tick: tick - 1, sqrtPriceX96: low },
    { tick, sqrtPriceX96: within },
  ][int(3)]!;
}

/** Fees first, then the ticks between turn round. */
function swap(
  now: BlockEnd,
  place: { tick: number; sqrtPriceX96: bigint },
  [growth0, growth1]: [bigint, bigint],
): void {
  const slot = now.slot!;
  slot.feeGrowthGlobal0X128 = modulo(slot.feeGrowthGlobal0X128 + growth0);
  slot.feeGrowthGlobal1X128 = modulo(slot.feeGrowthGlobal1X128 + growth1);
  for (const [tick, info] of now.ticks) {
    if (slot.tick >= tick === place.tick >= tick) continue;
    info.feeGrowthOutside0X128 = modulo(slot.feeGrowthGlobal0X128 - info.feeGrowthOutside0X128);
    info.feeGrowthOutside1X128 = modulo(slot.feeGrowthGlobal1X128 - info.feeGrowthOutside1X128);
  }
  Object.assign(slot, place);
}

/** Mints, burns, pokes or collects. */
function touch(
  now: BlockEnd,
  position: PositionPoint,
  { int, draw }: { int: (most: number) => number; draw: () => number },
): void {
  const { tickLower, tickUpper, liquidity } = position;
  if (liquidity > 0n && draw() < 0.2) {
    position.tokensOwed0 = draw() < 0.5 ? 0n : position.tokensOwed0 / 2n;
    return;
  }
  const drawn = BigInt(1 + int(1_000_000)) * 2n ** BigInt(int(70));
  const change = liquidity === 0n ? drawn : [drawn, 0n, -liquidity, -(liquidity / 2n)][int(4)]!;
  for (const tick of [tickLower, tickUpper]) {
    const isBelow = tick <= now.slot!.tick;
    const fresh = {
      gross: 0n,
      feeGrowthOutside0X128: isBelow ? now.slot!.feeGrowthGlobal0X128 : 0n,
      feeGrowthOutside1X128: isBelow ? now.slot!.feeGrowthGlobal1X128 : 0n,
    };
    const info = now.ticks.get(tick) ?? fresh;
    info.gross += change;
    now.ticks.set(tick, info);
  }
  const [inside0, inside1] = insideThen(now, tickLower, tickUpper);
  const earned = (inside: bigint, last: bigint) => (modulo(inside - last) * liquidity) >> 128n;
  position.tokensOwed0 = BigInt.asUintN(128, position.tokensOwed0 + earned(inside0, position.feeGrowthInside0LastX128));
  position.tokensOwed1 = BigInt.asUintN(128, position.tokensOwed1 + earned(inside1, position.feeGrowthInside1LastX128));
  position.feeGrowthInside0LastX128 = inside0;
  position.feeGrowthInside1LastX128 = inside1;
  position.liquidity += change;
  for (const tick of [tickLower, tickUpper]) if (now.ticks.get(tick)!.gross === 0n) now.ticks.delete(tick);
}
