// Tokens that skim, rebase, lie or overflow, and logs that only look like transfers. They must harm nobody else.
import { type Address, maxUint256 } from "viem";
import type { Random } from "./random.ts";
import { transfer } from "./tokens.ts";
import { type Act, accountAt, invoke, type World } from "./world.ts";

const ALWAYS = Number.POSITIVE_INFINITY;

/** Odd but usable tokens change hands like any other; the purse never relies on what was received. */
function passOddToken(world: World, random: Random): void {
  const { feeOnTransfer, silentSkim, rebasing, bytes32Metadata } = world.at.tokens;
  const token = random.pick([feeOnTransfer, silentSkim, rebasing, bytes32Metadata]);
  const unit = token === rebasing ? 10n ** 9n : 10n ** 18n;
  const [from, to] = random.sample(world.actors.slice(100, 150), 2);
  if (from === undefined || to === undefined) return;
  transferOdd(world, { token, from, to, amount: random.amount(unit, 100n * unit) });
}

/** Mints what is spent first: a rebase or a skim may have eaten what the account held. */
function transferOdd(world: World, sent: { token: Address; from: Address; to: Address; amount: bigint }): void {
  const { token, from, to, amount } = sent;
  const minted = [from, amount + amount / 50n + 10n];
  invoke(world, { name: "MintableToken", to: token, call: "mint", args: minted, from });
  invoke(world, { name: "MintableToken", to: token, call: "transfer", args: [to, amount], from });
}

function rebase(world: World, random: Random): void {
  const args = random.pick([
    [101n, 100n],
    [99n, 100n],
    [1_003n, 1_000n],
  ]);
  const from = random.pick(world.actors);
  invoke(world, { name: "RebasingToken", to: world.at.tokens.rebasing, call: "rebase", args, from });
}

/** These tokens behave, but have no readable name: their ledgers must be kept all the same. */
function passUnnamableToken(world: World, random: Random): void {
  const { nulName, decimals255, revertingName, hugeName } = world.at.tokens.hostile;
  const token = random.pick([nulName, decimals255, revertingName, hugeName]);
  const [from, to] = random.sample(world.actors.slice(0, 25), 2);
  if (from === undefined || to === undefined) return;
  transfer(world, { token, from, to, amount: random.amount(1n, 10n ** 20n) });
}

/** Behaves at first, so that its ledger is right until the overflow; an account that holds the overflow can receive no more. */
function passOverflowing(world: World, random: Random): void {
  const { overflowing, phantomSpend } = world.at.tokens.hostile;
  const [from, to] = random.sample(world.actors.slice(0, 25), 2);
  if (from === undefined || to === undefined) return;
  const token = random.pick([overflowing, phantomSpend]);
  transfer(world, { token, from, to, amount: random.amount(1n, 10n ** 19n), reverts: "maybe" });
}

function overflow(world: World, random: Random): void {
  const to = world.at.tokens.hostile.overflowing;
  const from = random.pick(world.actors);
  invoke(world, { name: "OverflowingToken", to, call: "mintMax", args: [from], from });
  invoke(world, { name: "OverflowingToken", to, call: "mintMax", args: [from], from });
}

function spendNothing(world: World, random: Random): void {
  const to = world.at.tokens.hostile.phantomSpend;
  const [from, victim, taker] = random.sample(world.actors, 3);
  const amount = random.chance(0.3) ? maxUint256 : random.amount(1n, 10n ** 30n);
  const args = [victim, taker, amount];
  invoke(world, { name: "PhantomSpendToken", to, call: "spend", args, from: from ?? accountAt(world.actors, 0) });
}

function passNft(world: World, random: Random, step: number): void {
  const [from, to] = random.sample(world.actors, 2);
  if (from === undefined || to === undefined) return;
  const nft = { name: "NftLike" as const, to: world.at.tokens.noise.nft };
  invoke(world, { ...nft, call: "mint", args: [from, BigInt(step)], from });
  invoke(world, { ...nft, call: "transferFrom", args: [from, to, BigInt(step)], from });
}

function logMalformed(world: World, random: Random): void {
  const [from, to] = random.sample(world.actors, 2);
  if (from === undefined || to === undefined) return;
  const token = { name: "MalformedTransfers" as const, to: world.at.tokens.noise.malformed, from };
  invoke(world, { ...token, call: "topicOnly" });
  invoke(world, { ...token, call: "threeWords", args: [from, to, 7n] });
  invoke(world, { ...token, call: "shortData", args: [from, to] });
}

export const hostileActs: readonly Act[] = [
  { name: "odd token", first: 12, last: ALWAYS, chance: 0.12, run: passOddToken },
  { name: "rebase", first: 60, last: ALWAYS, chance: 0.02, run: rebase },
  { name: "unnamable token", first: 15, last: ALWAYS, chance: 0.06, run: passUnnamableToken },
  { name: "overflowing token", first: 15, last: 700, chance: 0.06, run: passOverflowing },
  { name: "overflow", first: 420, run: overflow },
  { name: "overflow again", first: 1_100, run: overflow },
  { name: "phantom spend", first: 510, run: spendNothing },
  { name: "phantom spends", first: 511, last: ALWAYS, chance: 0.01, run: spendNothing },
  { name: "nft", first: 20, last: ALWAYS, chance: 0.02, run: passNft },
  { name: "malformed logs", first: 25, last: ALWAYS, chance: 0.01, run: logMalformed },
];
