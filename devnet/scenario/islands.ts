// Islands are created: managed ones with various fees, permissionless ones, over pools of both flavours.
import { type Address, zeroAddress } from "viem";
import type { Random } from "./random.ts";
import { type IslandOnStage, onStage, type V3PoolOnStage } from "./stage.ts";
import { openPool, type PoolPlan } from "./v3-pools.ts";
import { type Act, accountAt, invoke, ownerOf, readView, type World } from "./world.ts";

const E18 = 10n ** 18n;
/** Accounts that provide liquidity through islands, a few for each. */
const PROVIDERS = { first: 40, last: 58, perIsland: 6 };

export function providersOf(world: World): readonly Address[] {
  return world.actors.slice(PROVIDERS.first, PROVIDERS.last);
}

interface IslandPlan {
  name: string;
  pool: string;
  /** Absent: permissionless. */
  feeBps?: number;
  /** Tick spacings to either side of the price the pool was opened at. */
  width: number;
}

const plans: readonly IslandPlan[] = [
  { name: "island free", pool: "island kdk-honey", feeBps: 0, width: 100 },
  { name: "island five", pool: "island yeet-honey", feeBps: 500, width: 40 },
  { name: "island ten", pool: "bera-honey", feeBps: 1_000, width: 60 },
  { name: "island permissionless", pool: "island yeet-honey", width: 60 },
  { name: "island greedy", pool: "island kdk-honey", feeBps: 10_000, width: 20 },
  { name: "island quiet", pool: "kodiak kdk-bera", feeBps: 250, width: 30 },
  { name: "island unmanaged quiet", pool: "bera-honey", width: 200 },
];

/** From this step on nothing touches these two islands: they have no logs in the last weeks. */
export const SILENCE = 1_000;
const silent = new Set(["island quiet", "island unmanaged quiet"]);

/** Islands that may still be acted on in `step`. */
export function livelyIslands(world: World, step: number): [string, IslandOnStage][] {
  return [...world.stage.islands].filter(([name]) => step < SILENCE || !silent.has(name));
}

/** Liquidity that one unit of each token gives around the opening price: the measure of an island's shares. */
export function shareUnitOf({ unit0, unit1 }: V3PoolOnStage): bigint {
  return BigInt(Math.floor(Math.sqrt(Number(unit0) * Number(unit1))));
}

function poolPlans({ at: { tokens } }: World): PoolPlan[] {
  const honey = [tokens.honey, E18] as const;
  return [
    { name: "island kdk-honey", flavour: "uniswap", fee: 3_000, worth: [[tokens.kdk, 8n * E18], honey] },
    { name: "island yeet-honey", flavour: "kodiak", fee: 10_000, worth: [[tokens.yeet, 200n * E18], honey] },
  ];
}

async function openIslandPools(world: World): Promise<void> {
  for (const plan of poolPlans(world)) await openPool(world, plan);
}

export interface NewIsland {
  pool: Address;
  manager: Address;
  feeBps: number;
  ticks: readonly [number, number];
}

/** Queues the creation of an island; its manager's treasury is one account for all. */
export function createIsland(world: World, { pool, manager, feeBps, ticks }: NewIsland): void {
  const args = [pool, manager, accountAt(world.actors, 2), feeBps, ...ticks];
  const from = accountAt(world.actors, 3);
  invoke(world, { name: "IslandFactory", to: world.at.islands.factory, call: "deployVaultForPool", args, from });
}

export function countIslands(world: World): Promise<bigint> {
  return readView<bigint>(world, { name: "IslandFactory", to: world.at.islands.factory, call: "allIslandsLength" });
}

/** Creates the islands in one block, then makes the first mint of each. */
async function openIslands(world: World): Promise<void> {
  const before = await countIslands(world);
  for (const [index, plan] of plans.entries()) {
    const { address, baseTick, tickSpacing } = onStage(world.stage.v3, plan.pool);
    const manager = plan.feeBps === undefined ? zeroAddress : accountAt(providersOf(world), index);
    const ticks = [baseTick - plan.width * tickSpacing, baseTick + plan.width * tickSpacing] as const;
    createIsland(world, { pool: address, manager, feeBps: plan.feeBps ?? 0, ticks });
  }
  await world.chain.seal(4);
  for (const [index, { name, pool, feeBps }] of plans.entries()) {
    const args = [before + BigInt(index)];
    const find = { name: "IslandFactory" as const, to: world.at.islands.factory, call: "allIslands", args };
    const address = (await readView<Address>(world, find)).toLowerCase() as Address;
    const providers = providersOf(world);
    const holders = Array.from({ length: PROVIDERS.perIsland }, (_, holder) =>
      accountAt(providers, (index * 2 + holder) % providers.length),
    );
    const manager = feeBps === undefined ? {} : { manager: accountAt(providers, index) };
    world.stage.islands.set(name, { address, pool, holders, ...manager });
    mintIsland(world, { island: name, from: accountAt(holders, 0), units: 2_000n });
  }
}

export interface IslandMint {
  island: string;
  from: Address;
  /** In units of the pool's tokens: the payer gets enough for four times as much of each. */
  units: bigint;
  receiver?: Address;
}

/** Mints shares of an island over two tokens that anybody may mint. */
export function mintIsland(world: World, { island, from, units, receiver }: IslandMint): void {
  const { address, pool } = onStage(world.stage.islands, island);
  const over = onStage(world.stage.v3, pool);
  world.purse.pay({ from, token: over.token0, amount: units * over.unit0 * 4n, spender: address });
  world.purse.pay({ from, token: over.token1, amount: units * over.unit1 * 4n, spender: address });
  const args = [units * shareUnitOf(over), receiver ?? from];
  invoke(world, { name: "Island", to: address, call: "mint", args, from, reverts: "maybe" });
}

/** A second round of mints, one island a step, so that each has several holders. */
function mintToHolders(world: World, _random: Random, step: number): void {
  const plan = plans[step - 106];
  if (plan === undefined) return;
  const { holders } = onStage(world.stage.islands, plan.name);
  for (const [index, from] of holders.slice(1).entries())
    mintIsland(world, { island: plan.name, from, units: 300n + 100n * BigInt(index) });
}

function setFactoryFee(fee: number): Act["run"] {
  return (world) => {
    const factory = { name: "IslandFactory" as const, to: world.at.islands.factory };
    invoke(world, { ...factory, call: "setIslandFee", args: [fee], from: ownerOf(world) });
  };
}

/** Anyone may bring a permissionless island up to the factory's fee. */
function syncToFactory(world: World): void {
  const { address } = onStage(world.stage.islands, "island permissionless");
  invoke(world, { name: "Island", to: address, call: "syncToFactory", from: accountAt(world.actors, 9) });
}

function moveTreasury(world: World): void {
  const factory = { name: "IslandFactory" as const, to: world.at.islands.factory };
  const args = [accountAt(world.actors, 4)];
  invoke(world, { ...factory, call: "setTreasury", args, from: ownerOf(world) });
}

/** What the manager has not withdrawn then belongs to the holders. */
function renounce(world: World): void {
  const { address, manager } = onStage(world.stage.islands, "island ten");
  if (manager === undefined) return;
  invoke(world, { name: "Island", to: address, call: "renounceOwnership", from: manager });
}

export const islandActs: readonly Act[] = [
  { name: "island pools", first: 100, run: openIslandPools },
  { name: "islands", first: 104, run: openIslands },
  { name: "island holders", first: 106, last: 106 + plans.length, run: mintToHolders },
  { name: "island fee", first: 480, run: setFactoryFee(800) },
  { name: "island sync", first: 510, run: syncToFactory },
  { name: "island treasury", first: 780, run: moveTreasury },
  { name: "island fee again", first: 790, run: setFactoryFee(300) },
  { name: "island sync again", first: 805, run: syncToFactory },
  { name: "island renounced", first: 950, run: renounce },
];
