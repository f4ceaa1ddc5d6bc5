// A world from elsewhere: a module that exports `makeWorld({nV3, nV2, seed})` and `queries(world, count, seed)`.
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Pool } from "../../core/router/pool.ts";
import { drawQueries, makeWorld, type Query, queryOf, type World, type WorldSize, type WorldToken } from "./world.ts";

interface ForeignWorld {
  toks: { addr: string; sym: string; dec: number; px: number }[];
  v3: ForeignV3[];
  v2: { t0: number; t1: number; fee: number; r0: bigint; r1: bigint; tvl: number }[];
}

interface ForeignV3 {
  t0: number;
  t1: number;
  fee: number;
  sp: number;
  tick: number;
  sqrtP: bigint;
  L: bigint;
  ticks: { index: number; net: bigint }[];
  tvl: number;
}

interface ForeignModule {
  makeWorld(size: { nV3: number; nV2: number; seed: number }): ForeignWorld;
  queries(world: ForeignWorld, count: number, seed: number): { a: number; b: number; usd: number }[];
}

export interface Task {
  world: World;
  queries: Query[];
}

/** The world of a file, or our own when no file is given. */
export async function loadTask(
  size: WorldSize,
  { count, seed, file }: { count: number; seed: number; file: string | undefined },
): Promise<Task> {
  if (file === undefined) {
    const world = makeWorld(size);
    return { world, queries: drawQueries(world, count, seed) };
  }
  const foreign = (await import(pathToFileURL(resolve(file)).href)) as ForeignModule;
  const made = foreign.makeWorld({ nV3: size.v3, nV2: size.v2, seed: size.seed });
  const world = worldOf(made);
  const queries = foreign.queries(made, count, seed).map(({ a, b, usd }) => {
    return queryOf(world.tokens[a] as WorldToken, world.tokens[b] as WorldToken, usd);
  });
  return { world, queries };
}

function worldOf({ toks, v3, v2 }: ForeignWorld): World {
  const tokens = toks.map(({ addr, sym, dec, px }) => {
    return { address: addr.toLowerCase(), symbol: sym, decimals: dec, price: px };
  });
  const pairOf = ({ t0, t1 }: { t0: number; t1: number }, number: number) => ({
    address: `0x${(number + 1).toString(16).padStart(40, "0")}`,
    token0: tokens[t0]?.address ?? "",
    token1: tokens[t1]?.address ?? "",
  });
  const pools: Pool[] = [
    ...v3.map((pool, n) => ({
      ...pairOf(pool, n),
      kind: "v3" as const,
      fee: pool.fee,
      tickSpacing: pool.sp,
      sqrtPriceX96: pool.sqrtP,
      tick: pool.tick,
      liquidity: pool.L,
      ticks: pool.ticks.map(({ index, net }) => ({ tick: index, liquidityNet: net })),
    })),
    ...v2.map((pair, n) => ({
      ...pairOf(pair, v3.length + n),
      kind: "v2" as const,
      fee: pair.fee,
      reserve0: pair.r0,
      reserve1: pair.r1,
    })),
  ];
  return { tokens, pools, worth: [...v3, ...v2].map(({ tvl }) => tvl) };
}
