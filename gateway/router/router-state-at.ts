// The router's state at a block, made once per block: from the state of a block shortly before by what moved since, else
// from the database whole.
import { buildGraph, type Graph } from "../../core/router/graph.ts";
import type { Pool } from "../../core/router/pool.ts";
import type { OperationContext } from "../context.ts";
import { UnavailableError } from "../errors.ts";
import { mayWait } from "../ledger/kept-answers.ts";
import type { BlockPoint } from "../ledger/point.ts";
import type { Snapshot } from "../ledger/snapshot.ts";
import { routerStates } from "../metrics/instruments.ts";
import type { Address } from "../parameters.ts";
import { keepState, keptBetween, keptState } from "./kept-states.ts";
import { type KnownPoint, type PoolsAt, readAllPools, readMovedPools } from "./pools-at.ts";
import type { Network, RouterState } from "./router-state.ts";

/** Further apart, reading all pools is no slower than finding out which ones moved. */
const NEAR_BLOCKS = 1_000;
/** Kept states whose blocks are looked for in the chain. */
const MOST_BASES = 4;

const underWay = new Map<string, { snapshot: Snapshot; state: Promise<RouterState> }>();

/** @throws UnavailableError while Ponder brings the block's facts back */
export async function routerStateAt(context: OperationContext, point: BlockPoint): Promise<RouterState> {
  const { block, hash } = point;
  if (hash === undefined) throw new BlockBeingReadError(block);
  const { index } = context.snapshot;
  const known = keptState(index, { block, hash });
  const count = (from: string) => routerStates.inc({ chain: context.chain.name, from });
  if (known && known.pending.size === 0) {
    count("kept");
    return known;
  }
  const key = `${index} ${block} ${hash}`;
  const shared = underWay.get(key);
  // Whoever works it out may give up; then everybody does it alone.
  if (shared && mayWait(context.snapshot, shared)) {
    count("shared");
    return shared.state.catch(() => makeState(context, { ...point, hash }));
  }
  const own = { snapshot: context.snapshot, state: makeState(context, { ...point, hash }) };
  underWay.set(key, own);
  try {
    return await own.state;
  } finally {
    if (underWay.get(key) === own) underWay.delete(key);
  }
}

async function makeState(context: OperationContext, point: KnownPoint): Promise<RouterState> {
  const base = await nearestBase(context, point);
  routerStates.inc({ chain: context.chain.name, from: base ? "near" : "database" });
  const pools = base ? await readMovedPools(context, point, base) : await readAllPools(context, point);
  const state = { ...pools, networks: networksOf(context, pools), tokens: base?.tokens ?? new Map() };
  keepState(context.snapshot.index, state, base);
  return state;
}

/** The kept state of the highest block up to this one that is still in the chain. */
async function nearestBase({ snapshot }: OperationContext, point: KnownPoint): Promise<RouterState | undefined> {
  const range = { first: point.block - NEAR_BLOCKS, last: point.block };
  const candidates = keptBetween(snapshot.index, range).slice(0, MOST_BASES);
  if (candidates.length === 0) return undefined;
  const numbers = candidates.map(({ block }) => block).join(", ");
  const rows = await snapshot.withFacts((facts) =>
    facts.rows<{ number: number; hash: string }>(
      `select number, hash from ${facts.schemas.ponder}.block where number in (${numbers})`,
    ),
  );
  const hashes = new Map(rows.map(({ number, hash }) => [number, hash]));
  return candidates.find(({ block, hash }) => hashes.get(block) === hash);
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
