// What happens to islands at random: mints, burns, compounding, new ranges, new fees, payouts, transfers and donations.
import { type Address, zeroAddress } from "viem";
import { livelyIslands, mintIsland } from "./islands.ts";
import type { Random } from "./random.ts";
import { ALWAYS, partOf, sendShares, sharesOf } from "./shares.ts";
import { onStage, type V3PoolOnStage } from "./stage.ts";
import { transfer } from "./tokens.ts";
import { readTick } from "./v3-pools.ts";
import { type Act, accountAt, invoke, type World } from "./world.ts";

function pickIsland(world: World, random: Random, step: number) {
  const [name, island] = random.pick(livelyIslands(world, step));
  return { name, ...island };
}

/** Islands whose two tokens anybody may mint: no shares of other islands among them. */
function pickPlain(world: World, random: Random, step: number) {
  const plain = livelyIslands(world, step).filter(([, { pool }]) => world.stage.v3.has(pool));
  const [name, island] = random.pick(plain);
  return { name, ...island, over: onStage(world.stage.v3, island.pool) };
}

function mint(world: World, random: Random, step: number): void {
  const { name, holders } = pickPlain(world, random, step);
  const receiver = random.chance(0.9) ? {} : { receiver: random.pick(world.actors) };
  mintIsland(world, { island: name, from: random.pick(holders), units: BigInt(random.between(2, 250)), ...receiver });
}

/** Often a part, sometimes all; sometimes paid to somebody else. */
async function burn(world: World, random: Random, step: number): Promise<void> {
  const { address, holders } = pickIsland(world, random, step);
  const from = random.pick(holders);
  const held = await sharesOf(world, address, from);
  const amount = random.chance(0.12) ? held : partOf(random, held, [2, 50]);
  if (amount === 0n) return;
  const args = [amount, random.chance(0.9) ? from : random.pick(world.actors)];
  invoke(world, { name: "Island", to: address, call: "burn", args, from, reverts: "maybe" });
}

/** Reverts where there is nothing to compound. */
function rebalance(world: World, random: Random, step: number): void {
  const { address } = pickIsland(world, random, step);
  invoke(world, { name: "Island", to: address, call: "rebalance", from: random.pick(world.actors), reverts: "maybe" });
}

function rangeAround(tick: number, { tickSpacing }: V3PoolOnStage, random: Random): readonly [number, number] {
  const middle = Math.floor(tick / tickSpacing) * tickSpacing;
  return [middle - random.between(8, 50) * tickSpacing, middle + random.between(9, 50) * tickSpacing];
}

/** The manager moves the range to where the price is, with a swap in between for half of them. */
async function executiveRebalance(world: World, random: Random, step: number): Promise<void> {
  const { address, manager, over } = pickPlain(world, random, step);
  if (manager === undefined) return;
  const range = rangeAround(await readTick(world, over.address), over, random);
  const zeroForOne = random.chance(0.5);
  const limit = zeroForOne ? 4_295_128_740n : 1_461_446_703_485_210_103_287_273_052_203_988_822_378_723_970_341n;
  const args = [...range, limit, random.chance(0.5) ? 0n : 2_000n, zeroForOne];
  // Once renounced, its manager has no rights any more.
  invoke(world, { name: "Island", to: address, call: "executiveRebalance", args, from: manager, reverts: "maybe" });
}

function updateManagerParams(world: World, random: Random, step: number): void {
  const { address, manager } = pickIsland(world, random, step);
  if (manager === undefined) return;
  const fee = random.pick([-1, 0, 100, 500, 1_000, 2_500]);
  const treasury = random.chance(0.6) ? zeroAddress : random.pick(world.actors);
  const args = [fee, treasury, random.pick([-1, 300]), -1];
  invoke(world, { name: "Island", to: address, call: "updateManagerParams", args, from: manager, reverts: "maybe" });
}

/** Anyone may; the island itself logs nothing. */
function withdrawManagerBalance(world: World, random: Random, step: number): void {
  const { address } = pickIsland(world, random, step);
  invoke(world, { name: "Island", to: address, call: "withdrawManagerBalance", from: random.pick(world.actors) });
}

async function passShares(world: World, random: Random, step: number): Promise<void> {
  const { address, holders } = pickIsland(world, random, step);
  const from = random.pick(holders);
  const amount = partOf(random, await sharesOf(world, address, from), [0, 20]);
  sendShares(world, { token: address, from, to: random.pick(random.chance(0.7) ? holders : world.actors), amount });
}

/** Shares held by the island that issued them belong to nobody any more. */
async function sendToItself(world: World): Promise<void> {
  for (const name of ["island free", "island permissionless"]) {
    const { address, holders } = onStage(world.stage.islands, name);
    const from = accountAt(holders, 2);
    const amount = (await sharesOf(world, address, from)) / 10n;
    sendShares(world, { token: address, from, to: address, amount });
  }
}

/** A donation to an island belongs to its holders; one to a pool belongs to nobody. */
function donate(world: World, random: Random, step: number): void {
  const { address, over } = pickPlain(world, random, step);
  const [token, unit] = random.pick([
    [over.token0, over.unit0],
    [over.token1, over.unit1],
  ] as const);
  const to: Address = random.chance(0.7) ? address : over.address;
  transfer(world, { token, from: random.pick(world.actors), to, amount: random.amount(1n, 30n * unit) });
}

/** Trades in the pool under an island: the island's fees grow with trades around the price. */
function trade(world: World, random: Random): void {
  const name = random.pick(["island kdk-honey", "island yeet-honey", "bera-honey", "kodiak kdk-bera"]);
  const over = onStage(world.stage.v3, name);
  const zeroForOne = random.chance(0.5);
  const from = random.pick(world.actors.slice(60, 80));
  const [tokenIn, unitIn] = zeroForOne ? [over.token0, over.unit0] : [over.token1, over.unit1];
  const amountIn = random.amount(unitIn, 120n * unitIn);
  const to = world.at.v3[over.flavour].swapRouter02;
  world.purse.pay({ from, token: tokenIn, amount: amountIn, spender: to });
  const tokenOut = zeroForOne ? over.token1 : over.token0;
  const order = { tokenIn, tokenOut, fee: over.fee, recipient: from };
  const args = [{ ...order, amountIn, amountOutMinimum: 0n, sqrtPriceLimitX96: 0n }];
  invoke(world, { name: "SwapRouter02", to, call: "exactInputSingle", args, from, reverts: "maybe" });
}

/** Mints one wei of a share, and an amount so small that it needs none of the dearer token. */
function mintDust(world: World): void {
  const { address, holders } = onStage(world.stage.islands, "island free");
  const from = accountAt(holders, 1);
  for (const amount of [1n, 999n])
    invoke(world, { name: "Island", to: address, call: "mint", args: [amount, from], from, reverts: "maybe" });
}

export const islandLifeActs: readonly Act[] = [
  { name: "island trade", first: 105, last: ALWAYS, chance: 0.14, live: 0.15, run: trade },
  { name: "island mint", first: 108, last: ALWAYS, chance: 0.1, live: 0.1, run: mint },
  { name: "island burn", first: 115, last: ALWAYS, chance: 0.06, live: 0.05, run: burn },
  { name: "island compounding", first: 120, last: ALWAYS, chance: 0.03, live: 0.02, run: rebalance },
  { name: "island new range", first: 160, last: ALWAYS, chance: 0.02, live: 0.01, run: executiveRebalance },
  { name: "island new fee", first: 240, last: ALWAYS, chance: 0.008, live: 0.002, run: updateManagerParams },
  { name: "island payout", first: 130, last: ALWAYS, chance: 0.012, live: 0.005, run: withdrawManagerBalance },
  { name: "island shares pass", first: 112, last: ALWAYS, chance: 0.03, live: 0.04, run: passShares },
  { name: "island shares sent home", first: 330, run: sendToItself },
  { name: "island donation", first: 140, last: ALWAYS, chance: 0.008, run: donate },
  { name: "island dust", first: 345, run: mintDust },
];
