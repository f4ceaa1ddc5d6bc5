// Infrared-like vaults: stakes one for one, which the vault stakes in the reward vault under its own address.
import type { Address } from "viem";
import type { Random } from "./random.ts";
import { ALWAYS, partOf, sharesOf } from "./shares.ts";
import { onStage } from "./stage.ts";
import { type Act, invoke, ownerOf, readView, type World } from "./world.ts";

const E18 = 10n ** 18n;
const WEEK = 604_800n;

/** Over islands that already have a reward vault, and one whose reward vault is made at the same time. */
const plans = [
  { name: "infrared five", island: "island five" },
  { name: "infrared free", island: "island free" },
  { name: "infrared greedy", island: "island greedy" },
] as const;

async function registerVaults(world: World): Promise<void> {
  const { core: to } = world.at.infrared;
  const from = ownerOf(world);
  const assets = plans.map(({ island }) => onStage(world.stage.islands, island).address);
  for (const asset of assets) invoke(world, { name: "InfraredCore", to, call: "registerVault", args: [asset], from });
  await world.chain.seal(4);
  for (const [index, { name }] of plans.entries()) {
    const args = [assets[index]];
    const vault = await readView<Address>(world, { name: "InfraredCore", to, call: "vaultRegistry", args });
    world.stage.named.set(name, vault.toLowerCase() as Address);
    const reward = [assets[index], world.at.tokens.ibgt, WEEK];
    invoke(world, { name: "InfraredCore", to, call: "addReward", args: reward, from });
  }
}

function pickVault(world: World, random: Random) {
  const { name, island } = random.pick(plans);
  const { address: asset, holders } = onStage(world.stage.islands, island);
  return { vault: onStage(world.stage.named, name), asset, from: random.pick(holders) };
}

async function stake(world: World, random: Random): Promise<void> {
  const { vault, asset, from } = pickVault(world, random);
  const amount = partOf(random, await sharesOf(world, asset, from), [3, 30]);
  if (amount === 0n) return;
  world.purse.allow(from, asset, vault);
  invoke(world, { name: "InfraredVault", to: vault, call: "stake", args: [amount], from, reverts: "maybe" });
}

async function withdraw(world: World, random: Random): Promise<void> {
  const { vault, from } = pickVault(world, random);
  const staked = await sharesOf(world, vault, from);
  if (staked === 0n) return;
  const call = { name: "InfraredVault" as const, to: vault, from, reverts: "maybe" as const };
  if (random.chance(0.2)) return invoke(world, { ...call, call: "exit" });
  invoke(world, { ...call, call: "withdraw", args: [partOf(random, staked, [5, 80])] });
}

function claim(world: World, random: Random): void {
  const { vault, from } = pickVault(world, random);
  invoke(world, { name: "InfraredVault", to: vault, call: "getReward", from, reverts: "maybe" });
}

/** What the reward vault owes goes to the core. */
function harvest(world: World, random: Random): void {
  const { asset } = pickVault(world, random);
  const { core: to } = world.at.infrared;
  invoke(world, { name: "InfraredCore", to, call: "harvestVault", args: [asset], from: random.pick(world.actors) });
}

function addIncentives(world: World, random: Random): void {
  const { asset } = pickVault(world, random);
  const [from, { core: to }, token] = [ownerOf(world), world.at.infrared, world.at.tokens.ibgt];
  const amount = random.amount(100n * E18, 5_000n * E18);
  world.purse.pay({ from, token, amount, spender: to });
  invoke(world, { name: "InfraredCore", to, call: "addIncentives", args: [asset, token, amount], from });
}

export const infraredActs: readonly Act[] = [
  { name: "infrared vaults", first: 360, run: registerVaults },
  { name: "infrared stake", first: 362, last: ALWAYS, chance: 0.06, live: 0.05, run: stake },
  { name: "infrared withdrawal", first: 390, last: ALWAYS, chance: 0.03, live: 0.03, run: withdraw },
  { name: "infrared rewards", first: 380, last: ALWAYS, chance: 0.015, live: 0.01, run: claim },
  { name: "infrared harvest", first: 380, last: ALWAYS, chance: 0.015, live: 0.01, run: harvest },
  { name: "infrared incentives", first: 370, last: ALWAYS, chance: 0.01, live: 0.005, run: addIncentives },
];
