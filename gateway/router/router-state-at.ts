// The router's state at a block, made once per block: at the head from the state of a block shortly before and what has
// changed since; otherwise completely from the database.
import { buildGraph, type Graph } from "../../core/router/graph.ts";
import type { Pool } from "../../core/router/pool.ts";
import { PoolTables } from "../../core/router/pool-tables.ts";
import type { AnswerPlace } from "../cache/answer-cache.ts";
import { bytesOf } from "../cache/bytes-of.ts";
import { question } from "../cache/question.ts";
import type { OperationContext } from "../context.ts";
import { type AsOf, asOf } from "../history/as-of.ts";
import type { BlockPoint } from "../history/point.ts";
import { routerStates } from "../instruments.ts";
import type { Address } from "../parameters.ts";
import { type PoolsAt, readAllPools, readMovedPools } from "./pools-at.ts";
import type { Network, RouterState } from "./router-state.ts";

interface Made {
  state: RouterState;
  /** Size of a state, without the pools that it shares with the state it was made from. */
  bytes: number;
}

const states = question<Made>("router-states", { weigh: ({ bytes }) => bytes });

const placeOf = ({ hash }: { hash: string | undefined }): AnswerPlace => ({ at: hash, key: "" });

export async function routerStateAt(context: OperationContext, point: BlockPoint): Promise<RouterState> {
  const { cache } = context.snapshot;
  const made = await cache.of(states, placeOf(point), () => makeState(context, asOf(context.snapshot, point)));
  return made.state;
}

async function makeState(context: OperationContext, at: AsOf): Promise<Made> {
  const before = await stateBefore(at);
  const moved = before && (await readMovedPools(context, at, before));
  routerStates.inc({ chain: context.chain.name, from: moved ? "near" : "database" });
  const pools = moved ?? (await readAllPools(context, at));
  // most of the pools are those of the state before, and their tables are made already
  const tables = (moved && before?.networks[0]?.graph.tables) ?? new PoolTables();
  const state = { ...pools, networks: networksOf(context, pools, tables) };
  return { state, bytes: ownBytes(state, moved && before) };
}

/** That of the highest block before, of those that are not final and of the last final one. */
async function stateBefore({ fold, point, cache, prepared }: AsOf): Promise<RouterState | undefined> {
  const { block, finalized } = point;
  if (block <= finalized) return undefined;
  const blocks = await prepared<{ hash: string }>(
    `select hash from ${fold}.block where number >= $1::int4 and number < $2::int4 order by number desc`,
    [String(finalized), String(block)],
  );
  for (const one of blocks) {
    const made = cache.get(states, placeOf(one));
    if (made) return made.state;
  }
  return undefined;
}

/** Of an edge list and two maps, for each pool. */
const BYTES_PER_POOL = 64;
const BYTES_PER_POOL_OF_NETWORK = 150;

function ownBytes({ pools, networks }: RouterState, before: RouterState | undefined): number {
  let bytes = pools.size * (BYTES_PER_POOL + BYTES_PER_POOL_OF_NETWORK * networks.length);
  for (const [address, placed] of pools) if (before?.pools.get(address) !== placed) bytes += bytesOf(placed);
  return bytes;
}

function networksOf({ chain }: OperationContext, { pools, taxed }: PoolsAt, tables: PoolTables): Network[] {
  const isUsable = (pool: Pool) =>
    !taxed.has(pool.token0 as Address) &&
    !taxed.has(pool.token1 as Address) &&
    (pool.kind === "v3" || (pool.reserve0 > 0n && pool.reserve1 > 0n));
  const usable = [...pools.values()].filter(({ pool }) => isUsable(pool));
  const reached = (factory: Address | undefined): Graph =>
    buildGraph(
      usable.filter((placed) => placed.factory === undefined || placed.factory === factory).map(({ pool }) => pool),
      tables,
    );
  if (!chain.v3) return [{ router: undefined, graph: reached(undefined) }];
  return chain.v3.deployments.map(({ factory, swapRouter02 }) => ({
    router: swapRouter02,
    graph: reached(factory.address),
  }));
}
