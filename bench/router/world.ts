// Made-up markets, the same for the same seed: a few hub tokens and many others, v3 pools of the usual fee tiers with dozens
// to hundreds of initialised ticks, v2 pairs; prices agree to a tenth of a percent, so that arbitrage is part of a good route.
import { getSqrtRatioAtTick, MAX_TICK } from "../../core/math/tick-math.ts";
import type { Pool, V2Pool, V3Pool, V3Tick } from "../../core/router/pool.ts";

export interface WorldToken {
  address: string;
  symbol: string;
  decimals: number;
  /** US dollars for one whole token. */
  price: number;
}

export interface World {
  tokens: WorldToken[];
  pools: Pool[];
  /** By pool: about how many US dollars are in it. */
  worth: number[];
}

export interface Query {
  tokenIn: WorldToken;
  tokenOut: WorldToken;
  usd: number;
  /** Of tokenIn, worth `usd`. */
  amountIn: bigint;
  /** Of tokenOut, worth `usd`. */
  amountOut: bigint;
}

export interface WorldSize {
  v3: number;
  v2: number;
  seed: number;
  /** 30 by default, and 30 more for every 400 further pools: otherwise most pools of a large world would be duplicates. */
  tokens?: number;
}

export type Draw = () => number;

/** Real addresses of Ethereum, because some routers know no other coins to value gas with. */
const hubs: readonly [string, string, number, number][] = [
  ["WETH", "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2", 18, 3_000],
  ["USDC", "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48", 6, 1],
  ["USDT", "0xdac17f958d2ee523a2206206994597c13d831ec7", 6, 1],
  ["DAI", "0x6b175474e89094c44da98b954eedeac495271d0f", 18, 1],
  ["WBTC", "0x2260fac5e5542a773aa44fbcfedf7c193bc2c599", 8, 60_000],
];
const spacingOfFee: Readonly<Record<number, number>> = { 100: 1, 500: 10, 3000: 60, 10000: 200 };
export const fees = [500, 3000, 10000, 100];
const EDGE = MAX_TICK - 10_000;

/** Numbers in [0, 1) from a seed (a 32-bit Weyl sequence, mixed). */
export function drawFrom(seed: number): Draw {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}

export function makeWorld({
  v3,
  v2,
  seed,
  tokens: count = Math.max(30, Math.round((v3 + v2) * 0.075)),
}: WorldSize): World {
  const draw = drawFrom(seed);
  const tokens = hubs.map(([symbol, address, decimals, price]) => ({ symbol, address, decimals, price }));
  while (tokens.length < count) tokens.push(drawToken(draw, tokens.length));
  const world: World = { tokens, pools: [], worth: [] };
  const drawPair = (): [number, number] => {
    const one = Math.floor(draw() * (draw() < 0.75 ? hubs.length : count));
    const other = Math.floor(draw() * (count - 1));
    return [one, other < one ? other : other + 1];
  };
  const seen = new Set<string>();
  const add = ([one, other]: [number, number], fee: number, kind: "v2" | "v3") => {
    const key = `${kind} ${Math.min(one, other)} ${Math.max(one, other)} ${kind === "v3" ? fee : ""}`;
    if (seen.has(key)) return;
    seen.add(key);
    const [a, b] = [tokens[one] as WorldToken, tokens[other] as WorldToken];
    const pair: [WorldToken, WorldToken] = BigInt(a.address) < BigInt(b.address) ? [a, b] : [b, a];
    const address = `0x${(seen.size + 0x1000).toString(16).padStart(40, "0")}`;
    const drawn = kind === "v3" ? drawV3(draw, { pair, fee, address }) : drawV2(draw, { pair, address });
    world.pools.push(drawn.pool);
    world.worth.push(drawn.worth);
  };
  // every token can be reached
  const certain: [number, number][] = [
    [0, 1],
    [0, 2],
    [0, 3],
    [0, 4],
    [1, 2],
    [1, 3],
  ];
  for (let i = hubs.length; i < count; i++) certain.push([Math.floor(draw() * 2), i]);
  for (const pair of certain.slice(0, v3)) add(pair, 3000, "v3");
  for (let tries = 0; world.pools.length < v3 && tries < 100_000; tries++) {
    add(drawPair(), fees[Math.floor(draw() * fees.length)] as number, "v3");
  }
  for (const pair of certain.slice(0, Math.min(4, v2))) add(pair, 3000, "v2");
  for (let tries = 0; world.pools.length < v3 + v2 && tries < 100_000; tries++) add(drawPair(), 3000, "v2");
  return world;
}

export function drawToken(draw: Draw, number: number): WorldToken {
  const digits = Array.from({ length: 40 }, () => Math.floor(draw() * 16).toString(16)).join("");
  const decimals = [18, 18, 18, 6, 8][Math.floor(draw() * 5)] as number;
  return { symbol: `T${number}`, address: `0x${digits}`, decimals, price: Math.exp(draw() * 10 - 4) };
}

export interface PoolPlan {
  pair: [WorldToken, WorldToken];
  address: string;
}

const between = (draw: Draw, low: number, high: number): number => low * (high / low) ** draw();
const around = (draw: Draw, noise: number): number => 1 + (draw() - 0.5) * noise;

/** A v3 pool of some hundred ticks, worth $50,000 to $10,000,000. */
export function drawV3(
  draw: Draw,
  { pair, address, fee }: PoolPlan & { fee: number },
): { pool: V3Pool; worth: number } {
  const [token0, token1] = pair;
  const price = (token0.price / token1.price) * 10 ** (token1.decimals - token0.decimals) * around(draw, 0.002);
  const tick = Math.max(-EDGE, Math.min(EDGE, Math.floor(Math.log(price) / Math.log(1.0001))));
  const worth = between(draw, 50e3, 10e6);
  const positions = Math.max(2, Math.floor((50 + draw() * 450) / 2));
  const spacing = spacingOfFee[fee] as number;
  const most = Math.floor(MAX_TICK / spacing);
  const net = new Map<number, bigint>();
  let liquidity = 0n;
  for (let n = 0; n < positions; n++) {
    const [lower, upper] =
      n === 0 ? [-most, most] : drawRange(draw, { base: Math.floor(tick / spacing), spacing, most });
    const range = { lower: lower * spacing, upper: upper * spacing, tick };
    const amount = BigInt(Math.floor(((worth / positions) * (0.2 + draw() * 1.6)) / worthOfUnit(pair, range)));
    if (amount === 0n || lower >= upper) continue;
    net.set(range.lower, (net.get(range.lower) ?? 0n) + amount);
    net.set(range.upper, (net.get(range.upper) ?? 0n) - amount);
    if (range.lower <= tick && tick < range.upper) liquidity += amount;
  }
  const ticks: V3Tick[] = [...net]
    .filter(([, change]) => change !== 0n)
    .sort(([one], [other]) => one - other)
    .map(([at, liquidityNet]) => ({ tick: at, liquidityNet }));
  const low = getSqrtRatioAtTick(tick);
  const sqrtPriceX96 = low + (getSqrtRatioAtTick(tick + 1) - low) / 3n;
  const [a, b] = [token0.address, token1.address];
  return {
    pool: {
      kind: "v3",
      address,
      token0: a,
      token1: b,
      fee,
      tickSpacing: spacing,
      sqrtPriceX96,
      tick,
      liquidity,
      ticks,
    },
    worth,
  };
}

/** In tick spacings: narrow ranges more often, around the price or beside it. */
function drawRange(
  draw: Draw,
  { base, spacing, most }: { base: number; spacing: number; most: number },
): [number, number] {
  const width = Math.max(1, Math.floor(between(draw, 1, Math.max(4, 20_000 / spacing))));
  const centre = base + Math.round((draw() - 0.5) * 1.6 * width);
  return [Math.max(-most, centre - width), Math.min(most, centre + width)];
}

/** US dollars behind one unit of liquidity. */
function worthOfUnit(
  [token0, token1]: [WorldToken, WorldToken],
  { lower, upper, tick }: { lower: number; upper: number; tick: number },
): number {
  const root = (at: number) => 1.0001 ** (at / 2);
  const at = Math.min(Math.max(root(tick), root(lower)), root(upper));
  const amount0 = (1 / at - 1 / root(upper)) / 10 ** token0.decimals;
  const amount1 = (at - root(lower)) / 10 ** token1.decimals;
  return amount0 * token0.price + amount1 * token1.price;
}

/** A v2 pair worth $20,000 to $2,000,000. */
export function drawV2(draw: Draw, { pair: [token0, token1], address }: PoolPlan): { pool: V2Pool; worth: number } {
  const worth = between(draw, 20e3, 2e6);
  const reserve = (token: WorldToken, noise: number) =>
    BigInt(Math.floor((worth / 2 / token.price) * noise * 10 ** token.decimals));
  const [reserve0, reserve1] = [reserve(token0, 1), reserve(token1, around(draw, 0.004))];
  const [a, b] = [token0.address, token1.address];
  return { pool: { kind: "v2", address, token0: a, token1: b, fee: 3000, reserve0, reserve1 }, worth };
}

/** Questions of $100 to $200,000; every third between hubs. */
export function drawQueries({ tokens }: World, count: number, seed: number): Query[] {
  const draw = drawFrom(seed);
  return Array.from({ length: count }, (_, n) => {
    let one = Math.floor(draw() * tokens.length);
    let other = Math.floor(draw() * (tokens.length - 1));
    if (other >= one) other += 1;
    if (n % 3 === 0) {
      one = [0, 1, 4][Math.floor(draw() * 3)] as number;
      other = one === 0 ? 1 : 0;
    }
    const usd = [100, 1_000, 10_000, 50_000, 200_000][n % 5] as number;
    return queryOf(tokens[one] as WorldToken, tokens[other] as WorldToken, usd);
  });
}

export function queryOf(tokenIn: WorldToken, tokenOut: WorldToken, usd: number): Query {
  const worth = ({ price, decimals }: WorldToken) =>
    (BigInt(Math.floor((usd / price) * 1e6)) * 10n ** BigInt(decimals)) / 1_000_000n;
  return { tokenIn, tokenOut, usd, amountIn: worth(tokenIn), amountOut: worth(tokenOut) };
}
