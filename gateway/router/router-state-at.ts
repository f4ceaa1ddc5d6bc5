// The router's state at a block, made once per block: from the state of a block shortly before by what moved since, else
// from the database whole.
import { buildGraph, type Graph } from "../../core/router/graph.ts";
import type { Pool } from "../../core/router/pool.ts";
import type { AnswerPlace } from "../cache/answer-cache.ts";
import { bytesOf } from "../cache/bytes-of.ts";
import { question } from "../cache/question.ts";
import type { OperationContext } from "../context.ts";
import { UnavailableError } from "../errors.ts";
import type { BlockPoint } from "../ledger/point.ts";
import { routerStates } from "../metrics/instruments.ts";
import type { Address } from "../parameters.ts";
import { type KnownPoint, type PoolsAt, readAllPools, readMovedPools } from "./pools-at.ts";
import type { Network, RouterState } from "./router-state.ts";

/** Further apart, reading all pools is no slower than finding out which ones moved. */
const NEAR_BLOCKS = 1_000;
/** Most often one of these will do. */
const NEXT_BLOCKS = 16;

interface Made {
  state: RouterState;
  /** Without the pools of the state that it was made from. */
  bytes: number;
}

/** A state without any pool that waits for a read of the chain. */
const states = question<Made>("router-states", {
  weigh: ({ bytes }) => bytes,
  isLasting: ({ state }) => state.pending.size === 0,
});
/** The others: what they know of all other pools is as good. */
const pendingStates = question<Made>("router-states-pending", { weigh: ({ bytes }) => bytes });

const placeOf = (hash: string): AnswerPlace => ({ at: hash, key: "" });

/** @throws UnavailableError while Ponder brings the block's facts back */
export async function routerStateAt(context: OperationContext, point: BlockPoint): Promise<RouterState> {
  const { block, hash } = point;
  if (hash === undefined) throw new BlockBeingReadError(block);
  const made = await context.snapshot.cache.of(states, placeOf(hash), () => makeState(context, { ...point, hash }));
  return made.state;
}

async function makeState(context: OperationContext, point: KnownPoint): Promise<Made> {
  const base = await nearestBase(context, point);
  routerStates.inc({ chain: context.chain.name, from: base ? "near" : "database" });
  const pools = base ? await readMovedPools(context, point, base) : await readAllPools(context, point);
  const state = { ...pools, networks: networksOf(context, pools) };
  const made = { state, bytes: ownBytes(state, base) };
  if (state.pending.size > 0) context.snapshot.cache.set(pendingStates, placeOf(point.hash), made);
  return made;
}

/** Of an edge list and two maps, for each pool. */
const BYTES_PER_POOL = 64;
const BYTES_PER_POOL_OF_NETWORK = 150;

function ownBytes({ pools, networks }: RouterState, base: RouterState | undefined): number {
  let bytes = pools.size * (BYTES_PER_POOL + BYTES_PER_POOL_OF_NETWORK * networks.length);
  for (const [address, placed] of pools) if (base?.pools.get(address) !== placed) bytes += bytesOf(placed);
  return bytes;
}

/** The stored state of the highest block up to this one that is in the chain. */
async function nearestBase({ snapshot }: OperationContext, { block }: KnownPoint): Promise<RouterState | undefined> {
  const { cache } = snapshot;
  for (const [last, first] of [
    [block, block - NEXT_BLOCKS + 1],
    [block - NEXT_BLOCKS, block - NEAR_BLOCKS],
  ]) {
    const blocks = await snapshot.withFacts((facts) =>
      facts.prepared<{ hash: string }>(
        `select hash from ${facts.schemas.ponder}.block
          where number >= $1::int4 and number <= $2::int4 order by number desc`,
        [String(first), String(last)],
      ),
    );
    for (const { hash } of blocks) {
      const made = cache.get(states, placeOf(hash)) ?? cache.get(pendingStates, placeOf(hash));
      if (made) return made.state;
    }
  }
  return undefined;
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

class BlockBeingReadError extends UnavailableError {
  override name = "BlockBeingReadError";

  constructor(block: number) {
    super("CATCHING_UP", `The facts of block ${block} are being read again. Retry in a few seconds.`);
  }
}
