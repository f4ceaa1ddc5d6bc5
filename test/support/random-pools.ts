// Pools drawn from a seed: narrow and wide ranges, gaps without liquidity, prices on ticks and on the edges of words.
import { getSqrtRatioAtTick } from "../../core/math/tick-math.ts";
import type { V2Pool, V3Pool } from "../../core/router/pool.ts";
import type { PoolConstants } from "../../core/v3/state.ts";
import { ForwardPool } from "../core/v3-forward-pool.ts";

/** Numbers in [0, 1) that depend on the seed alone. */
export function drawFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
  };
}

const spacings: Record<number, number> = { 100: 1, 500: 10, 3000: 60, 10000: 200 };

export interface PoolPlan {
  address: string;
  token0: string;
  token1: string;
  /** Raw token1 for one raw token0, about. */
  price?: number;
  /** Of a middling range. */
  liquidity?: number;
  ranges?: number;
  isFullRange?: boolean;
}

/** A pool as a contract would hold it, and the same as the router takes it. */
export function drawV3Pool(draw: () => number, plan: PoolPlan): { forward: ForwardPool; pool: V3Pool } {
  const fee = [100, 500, 3000, 10000][Math.floor(draw() * 4)] as number;
  const tickSpacing = spacings[fee] as number;
  const about = Math.floor(Math.log(plan.price ?? Math.exp((draw() - 0.5) * 40)) / Math.log(1.0001));
  const word = 256 * tickSpacing;
  // every other pool begins at a place where rounding and crossing are easily wrong
  const places = [about, about, Math.round(about / tickSpacing) * tickSpacing, Math.round(about / word) * word];
  const tick = places[Math.floor(draw() * 4)] as number;
  const low = getSqrtRatioAtTick(tick);
  const isOnTick = draw() < 0.3;
  const within = isOnTick ? 0n : ((getSqrtRatioAtTick(tick + 1) - low) * BigInt(Math.floor(draw() * 1000))) / 1000n;
  const constants: PoolConstants = {
    pool: plan.address,
    fee,
    tickSpacing,
    flavour: "uniswap",
    initialFeeProtocol0: 0,
    initialFeeProtocol1: 0,
  };
  const forward = new ForwardPool(constants, low + within);
  const most = Math.floor(887272 / tickSpacing) * tickSpacing;
  const size = plan.liquidity ?? 10 ** (8 + draw() * 12);
  if (plan.isFullRange ?? draw() < 0.5) forward.mint(-most, most, BigInt(Math.floor(size / 50)) + 1n);
  for (let i = 0; i < (plan.ranges ?? 1 + Math.floor(draw() * 20)); i++) {
    const width = Math.max(1, Math.floor(Math.exp(draw() * Math.log(20_000 / tickSpacing))));
    const centre = Math.floor(tick / tickSpacing) + Math.round((draw() - 0.5) * 3 * width);
    const [lower, upper] = [(centre - width) * tickSpacing, (centre + width) * tickSpacing];
    if (lower < -most || upper > most) continue;
    forward.mint(lower, upper, BigInt(Math.floor(size * draw())) + 1n);
  }
  return { forward, pool: poolOf(forward, plan) };
}

/** What the router takes of a pool. */
export function poolOf(forward: ForwardPool, { address, token0, token1 }: PoolPlan): V3Pool {
  const ticks = [...forward.ticks]
    .filter(([, { gross }]) => gross > 0n)
    .map(([tick, { net }]) => ({ tick, liquidityNet: net }))
    .sort((a, b) => a.tick - b.tick);
  const { fee, tickSpacing } = forward.constants;
  const { price: sqrtPriceX96, tick, liquidity } = forward;
  return { kind: "v3", address, token0, token1, fee, tickSpacing, sqrtPriceX96, tick, liquidity, ticks };
}

export function drawV2Pool(draw: () => number, plan: PoolPlan): V2Pool {
  const { address, token0, token1 } = plan;
  const price = plan.price ?? Math.exp((draw() - 0.5) * 20);
  const size = plan.liquidity ?? 10 ** (6 + draw() * 14);
  const [reserve0, reserve1] = [size / Math.sqrt(price), size * Math.sqrt(price)].map((v) => BigInt(Math.ceil(v)) + 7n);
  return { kind: "v2", address, token0, token1, fee: 3000, reserve0: reserve0 ?? 0n, reserve1: reserve1 ?? 0n };
}
