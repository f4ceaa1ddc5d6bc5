// v3 pools of both flavours that come into being and live, in a state that can go on in two ways.
import { addPool, createWorld, type V3World } from "../../../core/v3/reducer.ts";
import type { ForwardPool } from "../../core/v3-forward-pool.ts";
import { mintFor, range, type Stage, say, V3_ACTS, V3_OWNERS } from "../random-v3-acts.ts";
import { DEPLOYMENTS, drawPool } from "../random-v3-history.ts";
import type { BlockScribe } from "./block-scribe.ts";
import { POOL_TOKENS } from "./token-life.ts";

interface LivingPool {
  address: string;
  /** Index of its deployment and its world. */
  deployment: number;
  token0: string;
  token1: string;
  isInitialized: boolean;
  initialFee: number;
}

export interface V3Life {
  worlds: V3World[];
  /** Next token id, by deployment. */
  ids: bigint[];
  pools: LivingPool[];
}

export type Forwards = ReadonlyMap<string, ForwardPool>;

/** The protocol fee that a kodiak pool began with in this block, as the chain would show it. */
export interface InitialFee {
  pool: string;
  fee: number;
}

const MOST_POOLS = 9;

export const newV3Life = (): V3Life => ({
  worlds: DEPLOYMENTS.map(createWorld),
  ids: DEPLOYMENTS.map(() => 1n),
  pools: [],
});

/** What an act needs of one pool; `ids` is shared by all acts of a block. */
export function stageOf(
  { life, forwards, ids }: { life: V3Life; forwards: Forwards; ids: Stage["ids"] },
  scribe: BlockScribe,
  { address, deployment }: LivingPool,
): Stage {
  const world = life.worlds[deployment]!;
  const [pool, forward] = [world.pools.get(address)!, forwards.get(address)!];
  return { random: scribe.random, scribe, world, forward, pool, deployment: DEPLOYMENTS[deployment]!, ids };
}

function createPool(life: V3Life, forwards: Map<string, ForwardPool>, scribe: BlockScribe): void {
  const { created, constants, deployment, forward } = drawPool(scribe.random, life.pools.length + 1);
  const [token0, token1] = scribe.random.sample(POOL_TOKENS, 2).sort() as [string, string];
  const { block: _, log_index: __, ...announced } = created;
  scribe.tell("v3_pool_created", { ...announced, token0, token1 });
  const index = DEPLOYMENTS.indexOf(deployment);
  addPool(life.worlds[index]!, constants);
  forwards.set(constants.pool, forward);
  const place = { address: constants.pool, deployment: index, token0, token1 };
  life.pools.push({ ...place, isInitialized: false, initialFee: constants.initialFeeProtocol0 });
}

/** Some acts of some pools; resolves to the fees that kodiak pools began with. */
export function actOnV3(life: V3Life, forwards: Map<string, ForwardPool>, scribe: BlockScribe): InitialFee[] {
  const { random } = scribe;
  const fees: InitialFee[] = [];
  if (life.pools.length < MOST_POOLS && random.chance(0.3)) createPool(life, forwards, scribe);
  const ids = new Map(DEPLOYMENTS.map((deployment, i) => [deployment, life.ids[i]!]));
  const stage = (pool: LivingPool) => stageOf({ life, forwards, ids }, scribe, pool);
  for (const pool of life.pools) {
    if (pool.isInitialized || random.chance(0.4)) continue;
    scribe.nextTransaction();
    say(stage(pool), forwards.get(pool.address)!.initialize());
    pool.isInitialized = true;
    mintFor(stage(pool), random.pick(V3_OWNERS), range(stage(pool)));
    if (DEPLOYMENTS[pool.deployment]!.flavour === "kodiak") fees.push({ pool: pool.address, fee: pool.initialFee });
  }
  const alive = life.pools.filter(({ isInitialized }) => isInitialized);
  for (let acts = alive.length === 0 ? 0 : random.between(0, 8); acts > 0; acts -= 1) {
    scribe.nextTransaction();
    random.pick(V3_ACTS)(stage(random.pick(alive)));
  }
  life.ids = DEPLOYMENTS.map((deployment) => ids.get(deployment)!);
  return fees;
}
