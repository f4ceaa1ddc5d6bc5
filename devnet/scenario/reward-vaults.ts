// Reward vaults over island shares: stakes of every kind, rewards that flow and one that dries up, incentives.
import { type Address, concatHex, numberToHex } from "viem";
import type { Random } from "./random.ts";
import { ALWAYS, partOf, sendShares, sharesOf } from "./shares.ts";
import { onStage } from "./stage.ts";
import { type Act, accountAt, invoke, ownerOf, readView, type World } from "./world.ts";

const E18 = 10n ** 18n;

interface VaultPlan {
  name: string;
  /** The island whose shares it takes. */
  island: string;
  /** Rewards of one distribution, in whole tokens; the dry vault gets only one distribution. */
  reward: bigint;
}

const plans: readonly VaultPlan[] = [
  { name: "reward vault free", island: "island free", reward: 120n },
  { name: "reward vault five", island: "island five", reward: 40n },
  { name: "reward vault permissionless", island: "island permissionless", reward: 15n },
  { name: "reward vault dry", island: "island ten", reward: 500n },
  { name: "reward vault nested", island: "island nested", reward: 5n },
];
const renewed = plans.filter(({ name }) => name !== "reward vault dry");

/** A validator's key as the distributor names it. */
const VALIDATOR = concatHex([numberToHex(0xa5, { size: 24 }), numberToHex(0x5a, { size: 24 })]);

/** The staking token of a vault, the vault, and who may hold shares to stake. */
function vaultOnStage(world: World, { name, island }: VaultPlan) {
  const { address: token, holders } = onStage(world.stage.islands, island);
  return { vault: onStage(world.stage.named, name), token, holders };
}

/** Anybody makes a vault; only some of them may receive rewards. Seals a block. */
async function openVaults(world: World): Promise<void> {
  const { factory, beraChef } = world.at.rewardVaults;
  const from = accountAt(world.actors, 5);
  const tokens = plans.map(({ island }) => onStage(world.stage.islands, island).address);
  for (const token of tokens)
    invoke(world, { name: "RewardVaultFactory", to: factory, call: "createRewardVault", args: [token], from });
  await world.chain.seal(5);
  for (const [index, token] of tokens.entries()) {
    const plan = plans[index];
    if (plan === undefined) continue;
    const find = { name: "RewardVaultFactory" as const, to: factory, call: "getVault", args: [token] };
    const vault = (await readView<Address>(world, find)).toLowerCase() as Address;
    world.stage.named.set(plan.name, vault);
    const args = [vault, true, plan.name];
    invoke(world, { name: "BeraChef", to: beraChef, call: "setVaultWhitelistedStatus", args, from: ownerOf(world) });
  }
}

function setListed(isWhitelisted: boolean): Act["run"] {
  return (world) => {
    const args = [onStage(world.stage.named, "reward vault permissionless"), isWhitelisted, "review"];
    const to = world.at.rewardVaults.beraChef;
    invoke(world, { name: "BeraChef", to, call: "setVaultWhitelistedStatus", args, from: ownerOf(world) });
  };
}

function distribute(world: World, { vault, reward, step }: { vault: Address; reward: bigint; step: number }): void {
  const args = [VALIDATOR, BigInt(step), vault, reward];
  const to = world.at.rewardVaults.distributor;
  invoke(world, { name: "Distributor", to, call: "distributeFor", args, from: ownerOf(world) });
}

function distributeToAll(world: World, random: Random, step: number): void {
  if (step % 30 !== 0) return;
  for (const plan of renewed) {
    const reward = random.amount((plan.reward * E18) / 2n, plan.reward * E18);
    distribute(world, { vault: onStage(world.stage.named, plan.name), reward, step });
  }
}

/** The dry vault's only distribution: a week later it pays no more. */
function distributeOnce(world: World, _random: Random, step: number): void {
  distribute(world, { vault: onStage(world.stage.named, "reward vault dry"), reward: 500n * E18, step });
}

/** Own stakes, stakes given away, and lent stakes, whose rewards go to one account and whose tokens go back to another. */
async function stake(world: World, random: Random): Promise<void> {
  const { vault, token, holders } = vaultOnStage(world, random.pick(plans));
  const from = random.pick(holders);
  const amount = partOf(random, await sharesOf(world, token, from), [5, 45]);
  if (amount === 0n) return;
  world.purse.allow(from, token, vault);
  const other = random.pick(holders.filter((holder) => holder !== from).concat(accountAt(world.actors, 6)));
  const [call, args] = random.pick([
    ["stake", [amount]],
    ["stake", [amount]],
    ["stake", [amount]],
    ["stakeOnBehalf", [other, amount]],
    ["delegateStake", [other, amount]],
    ["delegateStake", [other, amount]],
  ] as const);
  invoke(world, { name: "RewardVault", to: vault, call, args, from, reverts: "maybe" });
}

async function withdraw(world: World, random: Random): Promise<void> {
  const { vault, holders } = vaultOnStage(world, random.pick(plans));
  const from = random.pick(holders);
  const read = (call: string) => readView<bigint>(world, { name: "RewardVault", to: vault, call, args: [from] });
  const own = (await read("balanceOf")) - (await read("delegateTotalStaked"));
  if (own === 0n) return;
  const to = { name: "RewardVault" as const, to: vault, from, reverts: "maybe" as const };
  if (random.chance(0.15)) return invoke(world, { ...to, call: "exit", args: [from] });
  invoke(world, { ...to, call: "withdraw", args: [partOf(random, own, [5, 70])] });
}

/** The delegate takes back what it lent. */
async function delegateWithdraw(world: World, random: Random): Promise<void> {
  const { vault, holders } = vaultOnStage(world, random.pick(plans));
  const from = random.pick(holders);
  for (const account of [...holders, accountAt(world.actors, 6)]) {
    const args = [account, from];
    const lent = await readView<bigint>(world, { name: "RewardVault", to: vault, call: "getDelegateStake", args });
    if (lent === 0n) continue;
    const amount = random.chance(0.4) ? lent : partOf(random, lent, [10, 90]);
    const back = { name: "RewardVault" as const, to: vault, call: "delegateWithdraw", args: [account, amount], from };
    return invoke(world, { ...back, reverts: "maybe" });
  }
}

function getReward(world: World, random: Random): void {
  const { vault, holders } = vaultOnStage(world, random.pick(plans));
  const from = random.pick(holders);
  const args = [from, random.chance(0.8) ? from : random.pick(world.actors)];
  invoke(world, { name: "RewardVault", to: vault, call: "getReward", args, from });
}

/** The manager of every incentive. */
const briber = (world: World): Address => accountAt(world.actors, 7);

function incentives(world: World): (readonly [Address, bigint])[] {
  return [
    [world.at.tokens.honey, E18],
    [world.at.tokens.usdc, 10n ** 6n],
  ];
}

function whitelistIncentives(world: World): void {
  for (const { name } of plans.slice(0, 2))
    for (const [token, unit] of incentives(world)) {
      const args = [token, unit / 10n, briber(world)];
      const to = onStage(world.stage.named, name);
      invoke(world, { name: "RewardVault", to, call: "whitelistIncentiveToken", args, from: ownerOf(world) });
    }
}

/** May come after the token was removed. */
function addIncentive(world: World, random: Random): void {
  const to = onStage(world.stage.named, random.pick(plans.slice(0, 2)).name);
  const [token, unit] = random.pick(incentives(world));
  const from = briber(world);
  const amount = random.amount(10n * unit, 800n * unit);
  world.purse.pay({ from, token, amount, spender: to });
  const args = [token, amount, random.amount(unit / 5n, 3n * unit)];
  invoke(world, { name: "RewardVault", to, call: "addIncentive", args, from, reverts: "maybe" });
}

function removeIncentive(world: World): void {
  const to = onStage(world.stage.named, "reward vault five");
  const args = [world.at.tokens.usdc];
  invoke(world, { name: "RewardVault", to, call: "removeIncentiveToken", args, from: ownerOf(world) });
}

function configure(vault: string, call: string, value: bigint): Act["run"] {
  return (world) => {
    const to = onStage(world.stage.named, vault);
    invoke(world, { name: "RewardVault", to, call, args: [value], from: ownerOf(world) });
  };
}

const targetRate = (E18 * 30n * E18) / 86_400n; // 30 tokens a day, times 1e18
const target = "setTargetRewardsPerSecond";

/** Sends the distributor a token and shares of an island, which are not rewards of anybody. */
function sendToDistributor(world: World): void {
  const { distributor } = world.at.rewardVaults;
  const { honey } = world.at.tokens;
  const args = [distributor, 777n * E18 + 7n];
  invoke(world, { name: "MintableToken", to: honey, call: "mint", args, from: ownerOf(world) });
  const { address: token, holders } = onStage(world.stage.islands, "island free");
  sendShares(world, { token, from: accountAt(holders, 0), to: distributor, amount: 1_000_003n });
}

export const rewardVaultActs: readonly Act[] = [
  { name: "reward vaults", first: 220, run: openVaults },
  { name: "stake", first: 222, last: ALWAYS, chance: 0.1, live: 0.1, run: stake },
  { name: "distribution to the dry vault", first: 260, run: distributeOnce },
  { name: "distributions", first: 225, last: ALWAYS, live: 0.4, run: distributeToAll },
  { name: "stake withdrawn", first: 250, last: ALWAYS, chance: 0.045, live: 0.04, run: withdraw },
  { name: "lent stake withdrawn", first: 280, last: ALWAYS, chance: 0.03, live: 0.02, run: delegateWithdraw },
  { name: "rewards claimed", first: 270, last: ALWAYS, chance: 0.04, live: 0.04, run: getReward },
  { name: "incentives", first: 290, run: whitelistIncentives },
  { name: "incentive added", first: 291, last: ALWAYS, chance: 0.015, live: 0.01, run: addIncentive },
  { name: "incentive removed", first: 1_150, run: removeIncentive },
  { name: "shorter rewards", first: 600, run: configure("reward vault five", "setRewardsDuration", 259_200n) },
  { name: "capped rewards", first: 700, run: configure("reward vault free", target, targetRate) },
  { name: "uncapped rewards", first: 1_100, run: configure("reward vault free", target, 0n) },
  { name: "vault unlisted", first: 820, run: setListed(false) },
  { name: "gifts to the distributor", first: 1_426, run: sendToDistributor },
  { name: "vault listed again", first: 1_240, run: setListed(true) },
];
