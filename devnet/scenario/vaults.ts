// ERC-4626 vaults: baults that compound island shares through reward vaults, and a plain vault that lives on donations.
import type { Address } from "viem";
import type { Random } from "./random.ts";
import { ALWAYS, partOf, sendShares, sharesOf } from "./shares.ts";
import { onStage } from "./stage.ts";
import { transfer } from "./tokens.ts";
import { type Act, accountAt, invoke, ownerOf, readView, type World } from "./world.ts";

const E18 = 10n ** 18n;

const baults = [
  { name: "bault free", island: "island free" },
  { name: "bault permissionless", island: "island permissionless" },
] as const;

/** What a claimer of rewards has to pay, in shares. */
const BOUNTY = E18 / 4n;

async function openBaults(world: World): Promise<void> {
  const { baultFactory: to } = world.at.vaults;
  const from = ownerOf(world);
  const tokens = baults.map(({ island }) => onStage(world.stage.islands, island).address);
  for (const [index, token] of tokens.entries()) {
    const args = [token, baults[index]?.island ?? ""];
    invoke(world, { name: "BaultFactory", to, call: "deployBault", args, from });
  }
  await world.chain.seal(4);
  for (const [index, { name }] of baults.entries()) {
    const find = { name: "BaultFactory" as const, to, call: "allBaults", args: [BigInt(index)] };
    const bault = (await readView<Address>(world, find)).toLowerCase() as Address;
    world.stage.named.set(name, bault);
    const own = { name: "Bault" as const, to: bault, from };
    invoke(world, { ...own, call: "setBounty", args: [BOUNTY] });
    invoke(world, { ...own, call: "setExitFeeBps", args: [index === 0 ? 3n : 50n] });
    invoke(world, { ...own, call: "setCompoundFeeBps", args: [500n] });
  }
}

function pickBault(world: World, random: Random) {
  const { name, island } = random.pick(baults);
  const { address: token, holders } = onStage(world.stage.islands, island);
  return { bault: onStage(world.stage.named, name), token, from: random.pick(holders) };
}

async function deposit(world: World, random: Random): Promise<void> {
  const { bault, token, from } = pickBault(world, random);
  const amount = partOf(random, await sharesOf(world, token, from), [3, 40]);
  if (amount === 0n) return;
  world.purse.allow(from, token, bault);
  const receiver = random.chance(0.9) ? from : random.pick(world.actors);
  invoke(world, { name: "Bault", to: bault, call: "deposit", args: [amount, receiver], from, reverts: "maybe" });
}

async function redeem(world: World, random: Random): Promise<void> {
  const { bault, from } = pickBault(world, random);
  const held = await sharesOf(world, bault, from);
  const amount = random.chance(0.15) ? held : partOf(random, held, [5, 60]);
  if (amount === 0n) return;
  const args = [amount, random.chance(0.9) ? from : random.pick(world.actors), from];
  invoke(world, { name: "Bault", to: bault, call: "redeem", args, from, reverts: "maybe" });
}

/** Pays the bounty and takes the rewards: every share is worth more afterwards. */
async function claim(world: World, random: Random): Promise<void> {
  const { bault, token, from } = pickBault(world, random);
  if ((await sharesOf(world, token, from)) < BOUNTY) return;
  world.purse.allow(from, token, bault);
  invoke(world, { name: "Bault", to: bault, call: "claimBgt", args: [from], from, reverts: "maybe" });
}

async function passBaultShares(world: World, random: Random): Promise<void> {
  const { bault, from } = pickBault(world, random);
  const amount = partOf(random, await sharesOf(world, bault, from), [0, 30]);
  sendShares(world, { token: bault, from, to: random.pick(world.actors), amount });
}

function setExitFee(bps: bigint): Act["run"] {
  return (world) => {
    const to = onStage(world.stage.named, "bault free");
    invoke(world, { name: "Bault", to, call: "setExitFeeBps", args: [bps], from: ownerOf(world) });
  };
}

const savers = (world: World): readonly Address[] => world.actors.slice(80, 92);

/** Fails where the deposit is too small for one share. */
function save(world: World, { from, amount }: { from: Address; amount: bigint }): void {
  const { plain } = world.at.vaults;
  world.purse.pay({ from, token: world.at.tokens.honey, amount, spender: plain });
  invoke(world, { name: "PlainVault", to: plain, call: "deposit", args: [amount, from], from, reverts: "maybe" });
}

function saveAtRandom(world: World, random: Random): void {
  const amount = random.chance(0.1) ? BigInt(random.between(1, 9)) : random.amount(E18, 900n * E18);
  save(world, { from: random.pick(savers(world)), amount });
}

function saveFirst(world: World): void {
  save(world, { from: accountAt(savers(world), 0), amount: 1_000n * E18 });
}

async function spendSavings(world: World, random: Random): Promise<void> {
  const from = random.pick(savers(world));
  const { plain } = world.at.vaults;
  const held = await sharesOf(world, plain, from);
  if (held === 0n) return;
  const kind = random.next();
  const vault = { name: "PlainVault" as const, to: plain, from, reverts: "maybe" as const };
  if (kind < 0.5) invoke(world, { ...vault, call: "redeem", args: [partOf(random, held, [5, 80]), from, from] });
  else if (kind < 0.7) invoke(world, { ...vault, call: "redeem", args: [held, random.pick(world.actors), from] });
  else if (kind < 0.9) invoke(world, { ...vault, call: "withdraw", args: [partOf(random, held, [5, 60]), from, from] });
  else sendShares(world, { token: plain, from, to: random.pick(world.actors), amount: held / 3n });
}

/** Yield and dust: assets that nobody deposited. */
function donateYield(world: World, random: Random): void {
  const amount = random.chance(0.3) ? 1n : random.amount(E18, 60n * E18);
  const { honey } = world.at.tokens;
  transfer(world, { token: honey, from: random.pick(world.actors), to: world.at.vaults.plain, amount });
}

const stakers = (world: World): readonly Address[] => world.actors.slice(60, 70);

const queued = (world: World) => ({ name: "QueuedVault" as const, to: world.at.queuedVault });

function stakeIbgt(world: World, random: Random): void {
  const from = random.pick(stakers(world));
  const amount = random.amount(E18, 300n * E18);
  const { to } = queued(world);
  world.purse.pay({ from, token: world.at.tokens.ibgt, amount, spender: to });
  invoke(world, { ...queued(world), call: "deposit", args: [amount, from], from, reverts: "maybe" });
}

/** Burns shares now, for a payment later. */
async function queueWithdrawal(world: World, random: Random): Promise<void> {
  const from = random.pick(stakers(world));
  const held = await sharesOf(world, world.at.queuedVault, from);
  const amount = random.chance(0.2) ? held : partOf(random, held, [5, 60]);
  if (amount === 0n) return;
  const call = random.chance(0.5) ? "queueRedeem" : "redeem";
  invoke(world, { ...queued(world), call, args: [amount, from, from], from, reverts: "maybe" });
}

/** Too early for some requests, already done for others. */
async function endWithdrawal(world: World, random: Random): Promise<void> {
  const from = random.pick(stakers(world));
  const ids = await readView<readonly bigint[]>(world, {
    ...queued(world),
    call: "getERC721WithdrawalRequestIds",
    args: [from],
  });
  const id = ids[random.between(0, Math.max(0, ids.length - 1))];
  if (id === undefined) return;
  const own = { ...queued(world), reverts: "maybe" as const };
  if (random.chance(0.3)) invoke(world, { ...own, call: "cancelQueuedWithdrawal", args: [id], from });
  else invoke(world, { ...own, call: "completeWithdrawal", args: [false, id], from: random.pick(world.actors) });
}

function donateIbgt(world: World, random: Random): void {
  const { ibgt: token } = world.at.tokens;
  const amount = random.amount(E18 / 10n, 9n * E18);
  transfer(world, { token, from: random.pick(stakers(world)), to: world.at.queuedVault, amount });
}

export const vaultActs: readonly Act[] = [
  { name: "savings begin", first: 90, run: saveFirst },
  { name: "savings", first: 92, last: ALWAYS, chance: 0.05, live: 0.05, run: saveAtRandom },
  { name: "savings spent", first: 110, last: ALWAYS, chance: 0.03, live: 0.03, run: spendSavings },
  { name: "yield", first: 100, last: ALWAYS, chance: 0.02, live: 0.03, run: donateYield },
  { name: "staked", first: 95, last: ALWAYS, chance: 0.05, live: 0.04, run: stakeIbgt },
  { name: "withdrawal queued", first: 120, last: ALWAYS, chance: 0.04, live: 0.04, run: queueWithdrawal },
  { name: "withdrawal ended", first: 160, last: ALWAYS, chance: 0.05, live: 0.05, run: endWithdrawal },
  { name: "staking yield", first: 130, last: ALWAYS, chance: 0.02, live: 0.03, run: donateIbgt },
  { name: "baults", first: 300, run: openBaults },
  { name: "bault deposit", first: 302, last: ALWAYS, chance: 0.06, live: 0.05, run: deposit },
  { name: "bault redeem", first: 330, last: ALWAYS, chance: 0.03, live: 0.03, run: redeem },
  { name: "bault compounding", first: 320, last: ALWAYS, chance: 0.03, live: 0.02, run: claim },
  { name: "bault shares pass", first: 320, last: ALWAYS, chance: 0.015, live: 0.01, run: passBaultShares },
  { name: "bault exit fee", first: 850, run: setExitFee(100n) },
];
