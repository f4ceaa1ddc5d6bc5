// Plain ERC-20 activity: airdrops, awkward transfers of every kind, wrapping in both flavours, a token that is made and burnt mid-chain.
import { type Address, encodeDeployData, zeroAddress } from "viem";
import { readArtifact } from "../compile/artifacts.ts";
import type { Random } from "./random.ts";
import { onStage } from "./stage.ts";
import { type Act, accountAt, invoke, ownerOf, readView, type World } from "./world.ts";

const DEAD: Address = "0x000000000000000000000000000000000000dead";

/** One whole token of each honest one, in its smallest unit. */
function wholeTokens({ at: { tokens } }: World): (readonly [Address, bigint])[] {
  const eighteen = 10n ** 18n;
  return [
    [tokens.wbera, eighteen],
    [tokens.weth, eighteen],
    [tokens.honey, eighteen],
    [tokens.usdc, 10n ** 6n],
    [tokens.usdt, 10n ** 6n],
    [tokens.wbtc, 10n ** 8n],
    [tokens.ohm, 10n ** 9n],
    [tokens.ibgt, eighteen],
    [tokens.kdk, eighteen],
    [tokens.yeet, eighteen],
    [tokens.bera, eighteen],
    [tokens.bytes32Metadata, eighteen],
  ];
}

/** The third of the actors that holds a token: every actor holds some, none holds all. */
function audienceOf(world: World, token: Address): Address[] {
  const place = wholeTokens(world).findIndex(([candidate]) => candidate === token);
  const { actors } = world;
  return Array.from({ length: 60 }, (_, index) => accountAt(actors, (place * 14 + index) % actors.length));
}

interface Transfer {
  token: Address;
  from: Address;
  to: Address;
  amount: bigint;
  reverts?: boolean | "maybe";
}

export function transfer(world: World, { token, from, to, amount, reverts = false }: Transfer): void {
  world.purse.pay({ from, token, amount });
  invoke(world, { name: "MintableToken", to: token, call: "transfer", args: [to, amount], from, reverts });
}

function transferAtRandom(world: World, random: Random): void {
  const [token, unit] = random.pick(wholeTokens(world));
  const [from, to] = random.sample(audienceOf(world, token), 2);
  if (from === undefined || to === undefined) return;
  transfer(world, { token, from, to, amount: random.amount(1n, 500n * unit) });
}

function transferByAllowance(world: World, random: Random): void {
  const [token, unit] = random.pick(wholeTokens(world));
  const [from, spender, to] = random.sample(audienceOf(world, token), 3);
  if (from === undefined || spender === undefined || to === undefined) return;
  const amount = random.amount(unit, 50n * unit);
  world.purse.pay({ from, token, amount, spender });
  invoke(world, { name: "MintableToken", to: token, call: "transferFrom", args: [from, to, amount], from: spender });
}

function wrapAtRandom(world: World, random: Random): void {
  const token = random.chance(0.5) ? world.at.tokens.wbera : world.at.tokens.weth;
  const from = random.pick(audienceOf(world, token));
  const amount = random.amount(10n ** 15n, 40n * 10n ** 18n);
  invoke(world, { name: "WETH9", to: token, call: "deposit", from, value: amount });
  world.purse.receive(from, token, amount);
}

function unwrapAtRandom(world: World, random: Random): void {
  const token = random.chance(0.5) ? world.at.tokens.wbera : world.at.tokens.weth;
  const from = random.pick(audienceOf(world, token));
  const amount = random.amount(10n ** 15n, 5n * 10n ** 18n);
  world.purse.pay({ from, token, amount });
  invoke(world, { name: "WETH9", to: token, call: "withdraw", args: [amount], from });
}

function burnAtRandom(world: World, random: Random): void {
  const token = random.pick([world.at.tokens.usdc, world.at.tokens.kdk, world.at.tokens.ohm]);
  const from = random.pick(world.actors);
  const amount = random.amount(1n, 10n ** 7n);
  world.purse.pay({ from, token, amount });
  invoke(world, { name: "MintableToken", to: token, call: "burn", args: [amount], from });
}

/** A transfer to the sender, of 0, to the dead address, to the token's own contract, or to a router: each is an ordinary transfer. */
function transferAwkwardly(world: World, random: Random): void {
  const [token, unit] = random.pick(wholeTokens(world));
  const from = random.pick(world.actors);
  const amount = random.amount(1n, unit);
  const nowhere = [DEAD, token, world.at.v2.router, world.at.v3.uniswap.positionManager];
  transfer(world, { token, from, to: from, amount });
  transfer(world, { token, from, to: random.pick(world.actors), amount: 0n });
  transfer(world, { token, from, to: random.pick(nowhere), amount });
}

/** Within one block an account's balance falls to zero and comes back, and another's rises from zero and falls back. */
function transferThereAndBack(world: World, random: Random): void {
  const { extras } = world;
  const index = random.between(0, 4) * 2;
  const [here, there] = [accountAt(extras, index), accountAt(extras, index + 1)];
  const token = world.at.tokens.honey;
  const amount = 123_456_789n * 10n ** 12n;
  if (!world.stage.named.has(`purse of ${here}`)) {
    world.stage.named.set(`purse of ${here}`, token);
    invoke(world, { name: "MintableToken", to: token, call: "mint", args: [here, amount], from: here });
  }
  for (let round = 0; round < random.between(1, 3); round++) {
    invoke(world, { name: "MintableToken", to: token, call: "transfer", args: [there, amount], from: here });
    invoke(world, { name: "MintableToken", to: token, call: "transfer", args: [here, amount], from: there });
  }
}

/** Mints to the zero address: the supply grows, but only the zero address holds the new part. */
function mintToZero(world: World, random: Random): void {
  const { kdk } = world.at.tokens;
  const args = [zeroAddress, random.amount(1n, 10n ** 18n)];
  invoke(world, { name: "MintableToken", to: kdk, call: "mint", args, from: random.pick(world.actors) });
}

async function bearShortLivedToken(world: World): Promise<void> {
  const { abi, bytecode } = readArtifact("MintableToken");
  const args = ["Mayfly", "MAYFLY", 9];
  const token = await world.chain.create(ownerOf(world), encodeDeployData({ abi, bytecode, args }));
  world.stage.named.set("mayfly", token.toLowerCase() as Address);
  for (const to of world.extras.slice(10, 15))
    invoke(world, { name: "MintableToken", to: token, call: "mint", args: [to, 10n ** 12n], from: to });
}

function passShortLivedToken(world: World, random: Random): void {
  const token = onStage(world.stage.named, "mayfly");
  const [from, to] = random.sample(world.extras.slice(10, 15), 2);
  const args = [to, random.amount(1n, 10n ** 9n)];
  invoke(world, {
    name: "MintableToken",
    to: token,
    call: "transfer",
    args,
    from: from ?? ownerOf(world),
    reverts: "maybe",
  });
}

/** The token's last holders burn all they have: from here on its supply is zero. */
async function buryShortLivedToken(world: World): Promise<void> {
  const to = onStage(world.stage.named, "mayfly");
  for (const from of world.extras.slice(10, 15)) {
    const held = await readView<bigint>(world, { name: "MintableToken", to, call: "balanceOf", args: [from] });
    invoke(world, { name: "MintableToken", to, call: "burn", args: [held], from });
  }
}

function airdrop(world: World, random: Random, step: number): void {
  const units = wholeTokens(world);
  const [token, unit] = units[step % units.length] ?? [world.at.tokens.honey, 10n ** 18n];
  for (const to of random.sample(audienceOf(world, token), 20))
    world.purse.fund({ from: to, token, amount: random.amount(10n * unit, 2_000n * unit) });
}

export const tokenActs: readonly Act[] = [
  { name: "airdrop", first: 0, last: 24, run: airdrop },
  { name: "transfer", first: 2, last: Number.POSITIVE_INFINITY, chance: 0.7, live: 0.8, run: transferAtRandom },
  { name: "second transfer", first: 2, last: Number.POSITIVE_INFINITY, chance: 0.2, run: transferAtRandom },
  {
    name: "transfer by allowance",
    first: 5,
    last: Number.POSITIVE_INFINITY,
    chance: 0.08,
    live: 0.1,
    run: transferByAllowance,
  },
  { name: "wrap", first: 3, last: Number.POSITIVE_INFINITY, chance: 0.15, live: 0.3, run: wrapAtRandom },
  { name: "unwrap", first: 10, last: Number.POSITIVE_INFINITY, chance: 0.1, live: 0.15, run: unwrapAtRandom },
  { name: "burn", first: 10, last: Number.POSITIVE_INFINITY, chance: 0.03, live: 0.03, run: burnAtRandom },
  {
    name: "awkward transfers",
    first: 6,
    last: Number.POSITIVE_INFINITY,
    chance: 0.05,
    live: 0.05,
    run: transferAwkwardly,
  },
  { name: "there and back", first: 8, last: Number.POSITIVE_INFINITY, chance: 0.05, run: transferThereAndBack },
  { name: "mint to zero", first: 9, last: Number.POSITIVE_INFINITY, chance: 0.01, run: mintToZero },
  { name: "mayfly is born", first: 300, run: bearShortLivedToken },
  { name: "mayfly lives", first: 301, last: 899, chance: 0.08, run: passShortLivedToken },
  { name: "mayfly is burnt", first: 900, run: buryShortLivedToken },
];
