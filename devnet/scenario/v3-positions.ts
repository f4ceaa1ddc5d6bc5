// Lives of v3 positions: as NFTs (mint, increase, decrease, collect, burn, transfer) and held in a pool directly.
import { type Address, maxUint128, maxUint256 } from "viem";
import type { Random } from "./random.ts";
import { type NftOnStage, onStage } from "./stage.ts";
import { fullRangeEdge, mintNft } from "./v3-pools.ts";
import { type Act, accountAt, invoke, providersOf, readView, type World } from "./world.ts";

const ALWAYS = Number.POSITIVE_INFINITY;

/** Ranges around the opening price, some off it, some one tick spacing wide, some the whole range; several share one. */
function mintAtRandom(world: World, random: Random): void {
  const [name, pool] = random.pick([...world.stage.v3]);
  const { tickSpacing: spacing, baseTick, unit0, unit1 } = pool;
  const kind = random.next();
  const offset = random.between(-4, 4) * 5 * spacing;
  const edge = fullRangeEdge(spacing);
  const width = random.pick([1, 5, 10, 40]) * spacing;
  const [lower, upper] = kind < 0.15 ? [-edge, edge] : [baseTick + offset, baseTick + offset + width];
  const size = BigInt(random.between(5, 400));
  mintNft(world, {
    name,
    from: random.pick(providersOf(world, pool.address)),
    lower,
    upper,
    amount0: size * unit0,
    amount1: size * unit1,
  });
}

/** An NFT that can still be acted on, as its owner. */
function pickNft(world: World, random: Random): NftOnStage {
  return random.pick(world.stage.nfts);
}

function managerOf(world: World, nft: NftOnStage) {
  return { name: "NonfungiblePositionManager" as const, to: world.at.v3[nft.flavour].positionManager, from: nft.owner };
}

function increase(world: World, random: Random): void {
  const nft = pickNft(world, random);
  const pool = onStage(world.stage.v3, nft.pool);
  const manager = managerOf(world, nft);
  const amount0Desired = random.amount(pool.unit0, 60n * pool.unit0);
  const amount1Desired = random.amount(pool.unit1, 60n * pool.unit1);
  world.purse.pay({ from: nft.owner, token: pool.token0, amount: amount0Desired, spender: manager.to });
  world.purse.pay({ from: nft.owner, token: pool.token1, amount: amount1Desired, spender: manager.to });
  const amounts = { amount0Desired, amount1Desired, amount0Min: 0n, amount1Min: 0n };
  const args = [{ tokenId: nft.id, ...amounts, deadline: maxUint256 }];
  invoke(world, { ...manager, call: "increaseLiquidity", args, reverts: "maybe" });
}

async function readLiquidity(world: World, nft: NftOnStage): Promise<bigint | undefined> {
  const { name, to } = managerOf(world, nft);
  const position = await readView<readonly unknown[]>(world, { name, to, call: "positions", args: [nft.id] }).catch(
    () => undefined,
  );
  return position?.[7] as bigint | undefined;
}

/** Takes out a part or all of a position; every second time, what it is owed is collected in the same block. */
async function decrease(world: World, random: Random): Promise<void> {
  const nft = pickNft(world, random);
  const held = await readLiquidity(world, nft);
  if (held === undefined || held === 0n) return;
  const liquidity = random.chance(0.4) ? held : (held * BigInt(random.between(5, 90))) / 100n;
  const manager = managerOf(world, nft);
  const args = [{ tokenId: nft.id, liquidity, amount0Min: 0n, amount1Min: 0n, deadline: maxUint256 }];
  invoke(world, { ...manager, call: "decreaseLiquidity", args, reverts: "maybe" });
  if (random.chance(0.5)) collectAll(world, nft);
}

function collectAll(world: World, nft: NftOnStage, most = maxUint128): void {
  const args = [{ tokenId: nft.id, recipient: nft.owner, amount0Max: most, amount1Max: maxUint128 }];
  invoke(world, { ...managerOf(world, nft), call: "collect", args, reverts: "maybe" });
}

function collect(world: World, random: Random): void {
  collectAll(world, pickNft(world, random), random.chance(0.2) ? 1n : maxUint128);
}

/** Empties a position, collects and burns the NFT, all in one block. */
async function close(world: World, random: Random): Promise<void> {
  const nft = random.pick(world.stage.nfts.slice(25));
  const liquidity = await readLiquidity(world, nft);
  if (liquidity === undefined) return;
  const manager = managerOf(world, nft);
  const args = [{ tokenId: nft.id, liquidity, amount0Min: 0n, amount1Min: 0n, deadline: maxUint256 }];
  // something else in the block may have closed it, or passed it on
  if (liquidity > 0n) invoke(world, { ...manager, call: "decreaseLiquidity", args, reverts: "maybe" });
  collectAll(world, nft);
  invoke(world, { ...manager, call: "burn", args: [nft.id], reverts: "maybe" });
}

function passOn(world: World, random: Random): void {
  const nft = pickNft(world, random);
  const to = random.pick(providersOf(world, onStage(world.stage.v3, nft.pool).address));
  const args = [nft.owner, to, nft.id];
  invoke(world, { ...managerOf(world, nft), call: "transferFrom", args, reverts: "maybe" });
  nft.owner = to;
}

const directRange = (baseTick: number, spacing: number, index: number): [number, number] => [
  baseTick - (10 + index) * spacing,
  baseTick + (10 + index) * spacing,
];

/** A position that belongs to its owner directly in the pool, without an NFT. */
function mintDirect(world: World, random: Random): void {
  const pool = onStage(world.stage.v3, random.pick(["bera-honey", "kodiak bera-honey"]));
  const index = random.between(0, 2);
  const from = accountAt(world.actors, 20 + index);
  const [lower, upper] = directRange(pool.baseTick, pool.tickSpacing, index);
  const to = world.at.poolCaller;
  for (const token of [pool.token0, pool.token1]) world.purse.pay({ from, token, amount: 10n ** 22n, spender: to });
  const args = [pool.address, from, lower, upper, random.amount(10n ** 18n, 10n ** 21n)];
  invoke(world, { name: "PoolCaller", to, call: "mintDirect", args, from });
}

/** Burns some or none (a poke) of a direct position and collects it, in two transactions as the pool requires. */
function burnDirect(world: World, random: Random): void {
  const pool = onStage(world.stage.v3, random.pick(["bera-honey", "kodiak bera-honey"]));
  const index = random.between(0, 2);
  const from = accountAt(world.actors, 20 + index);
  const [lower, upper] = directRange(pool.baseTick, pool.tickSpacing, index);
  const own = { name: "UniswapV3Pool" as const, to: pool.address, from, reverts: "maybe" as const };
  const liquidity = random.chance(0.3) ? 0n : random.amount(10n ** 17n, 3n * 10n ** 20n);
  invoke(world, { ...own, call: "burn", args: [lower, upper, liquidity] });
  const recipient: Address = random.chance(0.7) ? from : random.pick(world.actors);
  invoke(world, { ...own, call: "collect", args: [recipient, lower, upper, maxUint128, maxUint128] });
}

export const v3PositionActs: readonly Act[] = [
  { name: "nft mint", first: 40, last: 700, chance: 0.07, run: mintAtRandom },
  { name: "nft mint later", first: 701, last: ALWAYS, chance: 0.02, run: mintAtRandom },
  { name: "nft increase", first: 70, last: ALWAYS, chance: 0.04, live: 0.05, run: increase },
  { name: "nft decrease", first: 90, last: ALWAYS, chance: 0.05, live: 0.03, run: decrease },
  { name: "nft collect", first: 90, last: ALWAYS, chance: 0.04, live: 0.05, run: collect },
  { name: "nft close", first: 300, last: ALWAYS, chance: 0.012, run: close },
  { name: "nft passed on", first: 100, last: ALWAYS, chance: 0.015, run: passOn },
  { name: "direct mint", first: 80, last: ALWAYS, chance: 0.025, run: mintDirect },
  { name: "direct burn", first: 110, last: ALWAYS, chance: 0.02, run: burnDirect },
];
