// Islands over pools of other islands' shares, and two islands that hold each other's.
import { type Address, getCreateAddress } from "viem";
import { countIslands, createIsland } from "./islands.ts";
import type { Random } from "./random.ts";
import { ALWAYS, partOf, sharesOf } from "./shares.ts";
import { onStage } from "./stage.ts";
import { type Flavour, fullRangeEdge, sqrtPriceAt } from "./v3-pools.ts";
import { type Act, accountAt, invoke, ownerOf, readView, type World } from "./world.ts";

const E18 = 10n ** 18n;
const SPACING = 60;
const EDGE = fullRangeEdge(SPACING);

/** A pool of tier 3000 that opens at one for one; not listed among the pools whose tokens anybody may mint. Seals a block. */
async function openSharePool(
  world: World,
  name: string,
  [flavour, a, b]: [Flavour, Address, Address],
): Promise<Address> {
  const { factory } = world.at.v3[flavour];
  const tokens = a < b ? [a, b] : [b, a];
  const from = ownerOf(world);
  invoke(world, { name: "UniswapV3Factory", to: factory, call: "createPool", args: [...tokens, 3_000], from });
  await world.chain.seal(3);
  const find = { name: "UniswapV3Factory" as const, to: factory, call: "getPool", args: [...tokens, 3_000] };
  const pool = (await readView<Address>(world, find)).toLowerCase() as Address;
  invoke(world, { name: "UniswapV3Pool", to: pool, call: "initialize", args: [2n ** 96n], from });
  world.stage.named.set(name, pool);
  return pool;
}

interface Position {
  pool: Address;
  from: Address;
  liquidity: bigint;
  tokens: readonly [Address, Address];
}

/** Over the full range, held in the pool itself: at one for one it takes `liquidity` of both tokens. */
function provide(world: World, { pool, from, liquidity, tokens }: Position): void {
  const to = world.at.poolCaller;
  for (const token of tokens) spendable(world, { token, from, amount: liquidity * 2n, spender: to });
  invoke(world, { name: "PoolCaller", to, call: "mintDirect", args: [pool, from, -EDGE, EDGE, liquidity], from });
}

interface Spending {
  token: Address;
  from: Address;
  amount: bigint;
  spender: Address;
}

/** HONEY is minted as needed; shares must exist already. */
function spendable(world: World, { token, from, amount, spender }: Spending): void {
  if (token === world.at.tokens.honey) world.purse.pay({ from, token, amount, spender });
  else world.purse.allow(from, token, spender);
}

function mintShares(world: World, { island, from, amount }: { island: Address; from: Address; amount: bigint }): void {
  invoke(world, { name: "Island", to: island, call: "mint", args: [amount, from], from });
}

/** An island over (shares of "island free", HONEY), then a pool of that island's shares and those below it. */
async function openNested(world: World): Promise<void> {
  const { honey } = world.at.tokens;
  const free = onStage(world.stage.islands, "island free");
  const from = accountAt(free.holders, 0);
  const held = await sharesOf(world, free.address, from);
  const tokens = [free.address, honey] as const;
  const pool = await openSharePool(world, "pool of island shares", ["kodiak", ...tokens]);
  const island = await nextIsland(world);
  const manager = accountAt(free.holders, 1);
  createIsland(world, { pool, manager, feeBps: 500, ticks: [-100 * SPACING, 100 * SPACING] });
  await world.chain.seal(3);
  world.stage.islands.set("island nested", {
    address: island,
    pool: "pool of island shares",
    manager,
    holders: [from],
  });
  for (const token of tokens) spendable(world, { token, from, amount: held, spender: island });
  mintShares(world, { island, from, amount: held / 2n });
  provide(world, { pool, from, liquidity: held / 10n, tokens });
  await world.chain.seal(3);
  const both = [free.address, island] as const;
  const upper = await openSharePool(world, "pool of nested shares", ["uniswap", ...both]);
  provide(world, { pool: upper, from, liquidity: held / 20n, tokens: both });
}

/** The address the factory's next clone will have. */
async function nextIsland(world: World, ahead = 0n): Promise<Address> {
  const nonce = (await countIslands(world)) + 1n + ahead;
  return getCreateAddress({ from: world.at.islands.factory, nonce }).toLowerCase() as Address;
}

/**
 * Two islands, each over a pool of the other's shares and HONEY: both pools are created before the islands they trade.
 * The first begins with only HONEY and gets the second's shares by a trade.
 */
async function openCycle(world: World): Promise<void> {
  const { honey } = world.at.tokens;
  const [x, y] = [await nextIsland(world), await nextIsland(world, 1n)];
  const poolOfX = await openSharePool(world, "pool under cycle x", ["uniswap", y, honey]);
  const poolOfY = await openSharePool(world, "pool under cycle y", ["kodiak", x, honey]);
  const manager = accountAt(world.actors, 59);
  const honeyIsFirst = honey < y;
  const honeyOnly = honeyIsFirst ? ([SPACING, 20 * SPACING] as const) : ([-20 * SPACING, -SPACING] as const);
  createIsland(world, { pool: poolOfX, manager, feeBps: 1_000, ticks: honeyOnly });
  createIsland(world, { pool: poolOfY, manager, feeBps: 1_000, ticks: [-100 * SPACING, 100 * SPACING] });
  await world.chain.seal(3);
  const from = accountAt(world.actors, 58);
  world.stage.islands.set("island cycle x", { address: x, pool: "pool under cycle x", manager, holders: [from] });
  world.stage.islands.set("island cycle y", { address: y, pool: "pool under cycle y", manager, holders: [from] });
  const size = 10_000n * E18;
  spendable(world, { token: honey, from, amount: size, spender: x });
  mintShares(world, { island: x, from, amount: size });
  for (const token of [x, honey]) spendable(world, { token, from, amount: size, spender: y });
  mintShares(world, { island: y, from, amount: size / 2n });
  provide(world, { pool: poolOfX, from, liquidity: size / 10n, tokens: [y, honey] });
  provide(world, { pool: poolOfY, from, liquidity: size / 10n, tokens: [x, honey] });
  world.purse.allow(from, y, world.at.poolCaller);
  const limit = sqrtPriceAt(honeyIsFirst ? 10 * SPACING : -10 * SPACING);
  const args = [poolOfX, from, !honeyIsFirst, size, limit];
  invoke(world, { name: "PoolCaller", to: world.at.poolCaller, call: "swapDirect", args, from });
}

interface SharePool {
  pool: string;
  holder: (world: World) => Address;
}

const sharePools: readonly SharePool[] = [
  {
    pool: "pool of island shares",
    holder: (world) => accountAt(onStage(world.stage.islands, "island nested").holders, 0),
  },
  {
    pool: "pool of nested shares",
    holder: (world) => accountAt(onStage(world.stage.islands, "island nested").holders, 0),
  },
  { pool: "pool under cycle x", holder: (world) => accountAt(world.actors, 58) },
  { pool: "pool under cycle y", holder: (world) => accountAt(world.actors, 58) },
];

/** Small trades of shares: a hundredth of what their holder has. */
async function tradeShares(world: World, random: Random): Promise<void> {
  const { pool: name, holder } = random.pick(sharePools);
  const [pool, from, to] = [onStage(world.stage.named, name), holder(world), world.at.poolCaller];
  const zeroForOne = random.chance(0.5);
  const call = zeroForOne ? "token0" : "token1";
  const token = (await readView<Address>(world, { name: "UniswapV3Pool", to: pool, call })).toLowerCase() as Address;
  const isHoney = token === world.at.tokens.honey;
  const amount = isHoney ? random.amount(E18, 40n * E18) : partOf(random, await sharesOf(world, token, from), [0, 1]);
  spendable(world, { token, from, amount, spender: to });
  const limit = sqrtPriceAt(zeroForOne ? -90 * SPACING : 90 * SPACING);
  const args = [pool, from, zeroForOne, amount, limit];
  invoke(world, { name: "PoolCaller", to, call: "swapDirect", args, from, reverts: "maybe" });
}

/** The nested island's holder enters and leaves it through shares of the island below. */
async function mintNested(world: World, random: Random): Promise<void> {
  const name = random.pick(["island nested", "island cycle x", "island cycle y"]);
  const { address, holders } = onStage(world.stage.islands, name);
  const from = accountAt(holders, 0);
  const held = await sharesOf(world, address, from);
  const args = [partOf(random, held, [1, 3]), from];
  spendable(world, { token: world.at.tokens.honey, from, amount: held / 10n, spender: address });
  invoke(world, { name: "Island", to: address, call: "mint", args, from, reverts: "maybe" });
}

export const islandNestingActs: readonly Act[] = [
  { name: "nested island", first: 170, run: openNested },
  { name: "islands in a cycle", first: 200, run: openCycle },
  { name: "share trade", first: 210, last: ALWAYS, chance: 0.05, live: 0.03, run: tradeShares },
  { name: "nested mint", first: 215, last: ALWAYS, chance: 0.015, live: 0.01, run: mintNested },
];
