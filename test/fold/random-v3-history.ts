// Random lives of v3 pools of both flavours, as their contracts would have logged them.
import { getSqrtRatioAtTick } from "../../core/math/tick-math.ts";
import type { V3PoolCreatedRow } from "../../core/v3/fact-rows.ts";
import { addPool, createWorld, type V3World } from "../../core/v3/reducer.ts";
import type { PoolConstants } from "../../core/v3/state.ts";
import { type Random, seedRandom } from "../../devnet/scenario/random.ts";
import type { V3Deployment } from "../../fold/v3/deployments.ts";
import { ForwardPool } from "../core/v3-forward-pool.ts";
import { Scribe, type Stage, say, V3_ACTS } from "./random-v3-acts.ts";
import type { LoggedFact } from "./v3-fact-tables.ts";

const TIERS = [
  [100, 1],
  [500, 10],
  [3000, 60],
  [10_000, 200],
] as const;

export const DEPLOYMENTS: readonly V3Deployment[] = [
  { flavour: "uniswap", factory: addressOf(0xfa, 1), manager: addressOf(0xfe, 1), defaultFeeProtocol: 0 },
  { flavour: "kodiak", factory: addressOf(0xfa, 2), manager: addressOf(0xfe, 2), defaultFeeProtocol: 229_379_500 },
];

function addressOf(prefix: number, n: number): string {
  return `0x${prefix.toString(16)}${n.toString(16).padStart(38, "0")}`;
}

export interface HistoryPool {
  created: V3PoolCreatedRow;
  deployment: V3Deployment;
  constants: PoolConstants;
}

export interface V3History {
  pools: HistoryPool[];
  /** In event order. */
  facts: LoggedFact[];
  head: number;
}

/** Worlds without facts, one per deployment, that know all pools of the history. */
export function worldsOf(pools: readonly HistoryPool[]): Map<V3Deployment, V3World> {
  const worlds = new Map(DEPLOYMENTS.map((deployment) => [deployment, createWorld(deployment)]));
  for (const { deployment, constants } of pools) addPool(worlds.get(deployment)!, constants);
  return worlds;
}

/** A pool that is not created yet, the `n`th one. */
export function drawPool(random: Random, n: number): HistoryPool & { forward: ForwardPool } {
  const deployment = DEPLOYMENTS[n % 2]!;
  const [fee, tickSpacing] = random.pick(TIERS);
  const setting = deployment.flavour === "kodiak" ? random.pick([0, 3500, 2500]) : 0;
  const constants = {
    pool: addressOf(0xbb, n),
    fee,
    tickSpacing,
    flavour: deployment.flavour,
    initialFeeProtocol0: setting,
    initialFeeProtocol1: setting,
  };
  const [token0, token1] = [addressOf(0xc0, n), addressOf(0xc1, n)];
  const created = { factory: deployment.factory, pool: constants.pool, token0, token1, fee, tick_spacing: tickSpacing };
  const price = getSqrtRatioAtTick(random.between(-20_000, 20_000)) + BigInt(random.between(0, 9));
  return {
    created: { ...created, block: 0, log_index: 0 },
    deployment,
    constants,
    forward: new ForwardPool(constants, price),
  };
}

/** `blocks` blocks with facts, some of them far apart, over `pools` pools that come into being one after the other. */
export function randomV3History(seed: string, { blocks, pools: count }: { blocks: number; pools: number }): V3History {
  const random = seedRandom(seed);
  const scribe = new Scribe();
  const drawn = Array.from({ length: count }, (_, index) => drawPool(random.fork(`pool ${index}`), index + 1));
  const worlds = worldsOf(drawn);
  const ids = new Map<V3Deployment, bigint>();
  const stages: Stage[] = [];
  for (let index = 0; index < blocks; index += 1) {
    const next = drawn[stages.length];
    if (next !== undefined && (index % 3 === 0 || stages.length === 0)) {
      Object.assign(next.created, { block: scribe.block, log_index: scribe.takeLog() });
      const world = worlds.get(next.deployment)!;
      const { forward, deployment } = next;
      stages.push({ random, scribe, world, forward, deployment, ids, pool: world.pools.get(next.constants.pool)! });
      if (random.chance(0.5)) scribe.nextBlock(random.between(1, 3));
      say(stages.at(-1)!, forward.initialize());
    }
    for (let acts = random.between(1, 7); acts > 0; acts -= 1) {
      scribe.tx += 1;
      random.pick(V3_ACTS)(random.pick(stages));
    }
    scribe.nextBlock(random.pick([1, 1, 1, 2, 3, random.chance(0.1) ? 700 : 1]));
  }
  return { pools: drawn.slice(0, stages.length), facts: scribe.facts, head: scribe.block };
}
