// The router's state at a block, made once per block: at the head from the state of a block shortly before, by what has
// changed since; else from the database whole.
import { buildGraph, type Graph } from "../../core/router/graph.ts";
import type { Pool } from "../../core/router/pool.ts";
import { bytesOf } from "../cache/bytes-of.ts";
import { question } from "../cache/question.ts";
import type { OperationContext } from "../context.ts";
import { type AsOf, asOf } from "../ledger/as-of.ts";
import type { BlockPoint } from "../ledger/point.ts";
import { routerStates } from "../metrics/instruments.ts";
import type { Address } from "../parameters.ts";
import { type PoolsAt, readAllPools, readMovedPools } from "./pools-at.ts";
import type { Network, RouterState } from "./router-state.ts";

/** The newest state in memory is looked for in so many blocks. */
const MOST_BLOCKS = 64;

const states = question<RouterState>("router-states", { weigh: ({ bytes }) => bytes, unusedMs: 60_000 });

const placeOf = ({ hash }: { hash: string | undefined }) => ({ at: hash, key: "" });

export const routerStateAt = (context: OperationContext, point: BlockPoint): Promise<RouterState> =>
  context.snapshot.cache.of(states, placeOf(point), () => makeState(context, asOf(context.snapshot, point)));

async function makeState(context: OperationContext, at: AsOf): Promise<RouterState> {
  const before = await stateBefore(at);
  const moved = before && (await readMovedPools(context, at, before));
  routerStates.inc({ chain: context.chain.name, from: moved ? "near" : "database" });
  const pools = moved ?? (await readAllPools(context, at));
  const networks = networksOf(context, pools);
  const bytes = weightOf(pools, { before, networks: networks.length });
  return { ...pools, networks, tokens: before?.tokens ?? new Map(), bytes };
}

/** That of the highest block before, of those that are not final and of the last final one. */
async function stateBefore({ fold, point, cache, prepared }: AsOf): Promise<RouterState | undefined> {
  const { block, finalized } = point;
  if (block <= finalized) return undefined;
  const blocks = await prepared<{ hash: string }>(
    `select hash from ${fold}.block where number >= $1::int4 and number < $2::int4 order by number desc limit ${MOST_BLOCKS}`,
    [String(finalized), String(block)],
  );
  for (const one of blocks) {
    const state = cache.get(states, placeOf(one));
    if (state) return state;
  }
  return undefined;
}

/** About what a map of pools, or a graph, has of each. */
const PLACE_BYTES = 150;

/** Pools that the state shares with the one it was made from do not count. */
function weightOf(
  { pools }: PoolsAt,
  { before, networks }: { before: PoolsAt | undefined; networks: number },
): number {
  let bytes = pools.size * PLACE_BYTES * (1 + networks);
  for (const [address, placed] of pools) if (before?.pools.get(address) !== placed) bytes += bytesOf(placed);
  return bytes;
}

function networksOf({ chain }: OperationContext, { pools, taxed }: PoolsAt): Network[] {
  const isUsable = (pool: Pool) =>
    !taxed.has(pool.token0 as Address) &&
    !taxed.has(pool.token1 as Address) &&
    (pool.kind === "v3" || (pool.reserve0 > 0n && pool.reserve1 > 0n));
  const usable = [...pools.values()].filter(({ pool }) => isUsable(pool));
  const reached = (factory: Address | undefined): Graph =>
    buildGraph(
      usable.filter((placed) => placed.factory === undefined || placed.factory === factory).map(({ pool }) => pool),
    );
  if (!chain.v3) return [{ router: undefined, graph: reached(undefined) }];
  return chain.v3.deployments.map(({ factory, swapRouter02 }) => ({
    router: swapRouter02,
    graph: reached(factory.address),
  }));
}
