// Farms over island and bault shares: locks of every length, changed rates, one that runs dry and one that ends unnoticed.
import type { Address, Hex } from "viem";
import type { Random } from "./random.ts";
import { ALWAYS, partOf, sharesOf } from "./shares.ts";
import { onStage } from "./stage.ts";
import { transfer } from "./tokens.ts";
import { type Act, accountAt, invoke, readView, type World } from "./world.ts";

const E18 = 10n ** 18n;
const HOUR = 3_600;
const DAY = 24 * HOUR;

interface FarmPlan {
  name: string;
  /** What is staked: an island's shares, or a bault's over that island's. */
  island: string;
  bault?: string;
  rewards(world: World): readonly (readonly [token: Address, rate: bigint, funds: bigint])[];
  /** Seconds of a reward period; absent: the default, 30 days. */
  period?: number;
  /** No act touches it from this step on. */
  until?: number;
}

const SCARCE_PERIOD = 5 * DAY;
const SCARCE_RATE = 2n * 10n ** 5n;

const plans: readonly FarmPlan[] = [
  {
    name: "farm free",
    island: "island free",
    rewards: ({ at: { tokens } }) => [
      [tokens.kdk, E18 / 500n, 10n ** 6n * E18],
      [tokens.honey, E18 / 2_000n, 10n ** 6n * E18],
    ],
  },
  {
    name: "farm bault",
    island: "island free",
    bault: "bault free",
    rewards: ({ at: { tokens } }) => [[tokens.ibgt, E18 / 1_000n, 10n ** 6n * E18]],
  },
  {
    // Its OHM lasts for exactly one period: the renewal sets the OHM rate to zero and leaves the other.
    name: "farm scarce",
    island: "island permissionless",
    period: SCARCE_PERIOD,
    rewards: ({ at: { tokens } }) => [
      [tokens.ohm, SCARCE_RATE, SCARCE_RATE * BigInt(SCARCE_PERIOD)],
      [tokens.yeet, E18 / 10n, 10n ** 7n * E18],
    ],
  },
  {
    // Nobody calls it once its period is over: its rate stays set, but pays nothing.
    name: "farm ended",
    island: "island five",
    period: 4 * DAY,
    until: 400,
    rewards: ({ at: { tokens } }) => [[tokens.yeet, E18 / 5n, 10n ** 6n * E18]],
  },
];

const farmer = (world: World): Address => accountAt(world.actors, 8);

async function openFarms(world: World): Promise<void> {
  const { factory: to, implementation } = world.at.farms;
  const from = farmer(world);
  for (const plan of plans) {
    const rewards = plan.rewards(world);
    const [tokens, rates] = [rewards.map(([token]) => token), rewards.map(([, rate]) => rate)];
    const args = [implementation, from, stakedIn(world, plan), tokens, rates];
    invoke(world, { name: "FarmFactory", to, call: "deployFarm", args, from });
  }
  await world.chain.seal(4);
  for (const [index, plan] of plans.entries()) {
    const find = { name: "FarmFactory" as const, to, call: "allFarms", args: [BigInt(index)] };
    const farm = (await readView<Address>(world, find)).toLowerCase() as Address;
    world.stage.named.set(plan.name, farm);
    for (const [token, , amount] of plan.rewards(world)) transfer(world, { token, from, to: farm, amount });
    const own = { name: "Farm" as const, to: farm, from };
    if (plan.period !== undefined) invoke(world, { ...own, call: "setRewardsDuration", args: [BigInt(plan.period)] });
    invoke(world, { ...own, call: "startFarm" });
  }
}

function stakedIn(world: World, { island, bault }: FarmPlan): Address {
  return bault === undefined ? onStage(world.stage.islands, island).address : onStage(world.stage.named, bault);
}

function pickFarm(world: World, random: Random, step: number) {
  const plan = random.pick(plans.filter(({ until }) => until === undefined || step < until));
  const { holders } = onStage(world.stage.islands, plan.island);
  return {
    farm: onStage(world.stage.named, plan.name),
    token: stakedIn(world, plan),
    from: random.pick(holders),
    holders,
  };
}

async function stakeLocked(world: World, random: Random, step: number): Promise<void> {
  const { farm, token, from } = pickFarm(world, random, step);
  const amount = partOf(random, await sharesOf(world, token, from), [5, 40]);
  if (amount === 0n) return;
  world.purse.allow(from, token, farm);
  const secs = random.pick([0, HOUR, DAY, 3 * DAY, 7 * DAY, 30 * DAY, random.between(1, 30 * DAY)]);
  const args = [amount, BigInt(secs)];
  invoke(world, { name: "Farm", to: farm, call: "stakeLocked", args, from, reverts: "maybe" });
}

interface LockedStake {
  kek_id: Hex;
  ending_timestamp: bigint;
}

function stakesOf(world: World, { farm, from }: { farm: Address; from: Address }): Promise<readonly LockedStake[]> {
  return readView(world, { name: "Farm", to: farm, call: "lockedStakesOf", args: [from] });
}

/** For an account that has a stake whose lock is over. */
async function withdrawLocked(world: World, random: Random, step: number): Promise<void> {
  const { farm, holders } = pickFarm(world, random, step);
  const { timestamp } = await world.chain.client.getBlock();
  for (const from of random.sample(holders, holders.length)) {
    const stakes = await stakesOf(world, { farm, from });
    const over = stakes.find(({ ending_timestamp: end }) => end <= timestamp);
    if (over === undefined) continue;
    return invoke(world, {
      name: "Farm",
      to: farm,
      call: "withdrawLocked",
      args: [over.kek_id],
      from,
      reverts: "maybe",
    });
  }
}

/** Refused while the lock lasts. */
async function withdrawTooSoon(world: World): Promise<void> {
  const to = onStage(world.stage.named, "farm free");
  const { timestamp } = await world.chain.client.getBlock();
  for (const from of onStage(world.stage.islands, "island free").holders) {
    const stakes = await stakesOf(world, { farm: to, from });
    const locked = stakes.find(({ ending_timestamp: end }) => end > timestamp + BigInt(DAY));
    if (locked === undefined) continue;
    return invoke(world, { name: "Farm", to, call: "withdrawLocked", args: [locked.kek_id], from, reverts: true });
  }
}

function claim(world: World, random: Random, step: number): void {
  const { farm, from } = pickFarm(world, random, step);
  invoke(world, { name: "Farm", to: farm, call: "getReward", from });
}

function sync(world: World, random: Random, step: number): void {
  const { farm } = pickFarm(world, random, step);
  invoke(world, { name: "Farm", to: farm, call: "sync", from: random.pick(world.actors) });
}

/** Only at a farm with plenty of rewards to pay. */
function changeRate(world: World, random: Random): void {
  const plan = random.pick(plans.slice(0, 2));
  const [token, rate] = random.pick(plan.rewards(world));
  const args = [token, (rate * BigInt(random.between(0, 300))) / 100n, random.chance(0.7)];
  invoke(world, {
    name: "Farm",
    to: onStage(world.stage.named, plan.name),
    call: "setRewardRate",
    args,
    from: farmer(world),
  });
}

function addRewardToken(world: World): void {
  const [to, token, from] = [onStage(world.stage.named, "farm bault"), world.at.tokens.usdc, farmer(world)];
  transfer(world, { token, from, to, amount: 10n ** 12n });
  invoke(world, { name: "Farm", to, call: "addNewRewardToken", args: [token, from, 2_000n], from });
}

function setUnlocked(unlocked: boolean): Act["run"] {
  return (world) => {
    const to = onStage(world.stage.named, "farm free");
    invoke(world, { name: "Farm", to, call: "setStakesUnlocked", args: [unlocked], from: farmer(world) });
  };
}

/** Stakes leave before their time and without their rewards. */
async function leaveInHaste(world: World): Promise<void> {
  const to = onStage(world.stage.named, "farm free");
  for (const from of onStage(world.stage.islands, "island free").holders) {
    const [stake] = await stakesOf(world, { farm: to, from });
    if (stake !== undefined) invoke(world, { name: "Farm", to, call: "emergencyWithdraw", args: [stake.kek_id], from });
  }
}

export const farmActs: readonly Act[] = [
  { name: "farms", first: 310, run: openFarms },
  { name: "farm stake", first: 312, last: ALWAYS, chance: 0.1, live: 0.08, run: stakeLocked },
  { name: "farm withdrawal", first: 340, last: ALWAYS, chance: 0.04, live: 0.03, run: withdrawLocked },
  { name: "farm left too soon", first: 500, run: withdrawTooSoon },
  { name: "farm rewards", first: 330, last: ALWAYS, chance: 0.03, live: 0.03, run: claim },
  { name: "farm sync", first: 350, last: ALWAYS, chance: 0.01, live: 0.01, run: sync },
  { name: "farm rate", first: 420, last: ALWAYS, chance: 0.008, live: 0.003, run: changeRate },
  { name: "farm reward token", first: 640, run: addRewardToken },
  { name: "farm unlocked", first: 1_300, run: setUnlocked(true) },
  { name: "farm left in haste", first: 1_303, run: leaveInHaste },
  { name: "farm locked", first: 1_312, run: setUnlocked(false) },
];
