// The v3 pools of the scenario: both flavours, all fee tiers, some opened on the last day; and how a position is placed in one.
import { type Address, maxUint256 } from "viem";
import { getSqrtRatioAtTick } from "../../core/math/tick-math.ts";
import type { Random } from "./random.ts";
import { onStage, type V3PoolOnStage } from "./stage.ts";
import { type Act, accountAt, invoke, readView, type World } from "./world.ts";

export type Flavour = V3PoolOnStage["flavour"];

export interface PoolPlan {
  name: string;
  flavour: Flavour;
  fee: 100 | 500 | 3_000 | 10_000;
  /** This much of one token is worth this much of the other: the opening price. */
  worth: readonly [readonly [Address, bigint], readonly [Address, bigint]];
}

const tickSpacings = { 100: 1, 500: 10, 3000: 60, 10000: 200 } as const;

function squareRoot(value: bigint): bigint {
  let root = 1n << BigInt((value.toString(2).length + 1) >> 1);
  for (;;) {
    const better = (root + value / root) >> 1n;
    if (better >= root) return root;
    root = better;
  }
}

/** √(amount1 / amount0) in Q64.96, rounded down. */
function sqrtPriceOf(amount0: bigint, amount1: bigint): bigint {
  return squareRoot((amount1 << 192n) / amount0);
}

/** Opens the pool through the position manager and gives it a full-range position and a narrow one. Seals a block. */
export async function openPool(world: World, plan: PoolPlan): Promise<V3PoolOnStage> {
  const [a, b] = plan.worth;
  const [[token0, amount0], [token1, amount1]] = a[0] < b[0] ? [a, b] : [b, a];
  const at = world.at.v3[plan.flavour];
  const from = accountAt(world.actors, 0);
  const args = [token0, token1, plan.fee, sqrtPriceOf(amount0, amount1)];
  invoke(world, {
    name: "NonfungiblePositionManager",
    to: at.positionManager,
    call: "createAndInitializePoolIfNecessary",
    args,
    from,
    gas: 9_000_000n,
  });
  await world.chain.seal(3);
  const find = { name: "UniswapV3Factory" as const, to: at.factory, call: "getPool", args: [token0, token1, plan.fee] };
  const address = (await readView<Address>(world, find)).toLowerCase() as Address;
  const tickSpacing = tickSpacings[plan.fee];
  const tick = await readTick(world, address);
  const baseTick = Math.floor(tick / tickSpacing) * tickSpacing;
  const pool: V3PoolOnStage = {
    address,
    flavour: plan.flavour,
    token0,
    token1,
    fee: plan.fee,
    tickSpacing,
    baseTick,
    unit0: amount0,
    unit1: amount1,
  };
  world.stage.v3.set(plan.name, pool);
  const edge = fullRangeEdge(tickSpacing);
  mintNft(world, {
    name: plan.name,
    from,
    lower: -edge,
    upper: edge,
    amount0: amount0 * 20_000n,
    amount1: amount1 * 20_000n,
  });
  const around = { lower: baseTick - 20 * tickSpacing, upper: baseTick + 21 * tickSpacing };
  mintNft(world, {
    name: plan.name,
    from: accountAt(world.actors, 1),
    ...around,
    amount0: amount0 * 5_000n,
    amount1: amount1 * 5_000n,
  });
  return pool;
}

/** Works for both flavours: only the first two words of `slot0()` are read. */
export async function readTick(world: World, pool: Address): Promise<number> {
  return (await readSlot(world, pool)).tick;
}

export async function readSlot(world: World, pool: Address): Promise<{ sqrtPriceX96: bigint; tick: number }> {
  const { data } = await world.chain.client.call({ to: pool, data: "0x3850c7bd" });
  if (data === undefined) throw new Error(`${pool} has no slot0()`);
  const sqrtPriceX96 = BigInt(data.slice(0, 66));
  return { sqrtPriceX96, tick: Number(BigInt.asIntN(24, BigInt(`0x${data.slice(66, 130)}`))) };
}

export function fullRangeEdge(tickSpacing: number): number {
  return Math.floor(887_272 / tickSpacing) * tickSpacing;
}

export interface NftPlan {
  name: string;
  from: Address;
  lower: number;
  upper: number;
  amount0: bigint;
  amount1: bigint;
}

/** Mints a position NFT with at most these amounts; its id is the manager's next. */
export function mintNft(world: World, { name, from, lower, upper, amount0, amount1 }: NftPlan): void {
  const { stage, purse, at } = world;
  const { token0, token1, fee, flavour } = onStage(stage.v3, name);
  const to = at.v3[flavour].positionManager;
  purse.pay({ from, token: token0, amount: amount0, spender: to });
  purse.pay({ from, token: token1, amount: amount1, spender: to });
  const range = { tickLower: lower, tickUpper: upper };
  const amounts = { amount0Desired: amount0, amount1Desired: amount1, amount0Min: 0n, amount1Min: 0n };
  const args = [{ token0, token1, fee, ...range, ...amounts, recipient: from, deadline: maxUint256 }];
  invoke(world, { name: "NonfungiblePositionManager", to, call: "mint", args, from });
  const id = BigInt(stage.nfts.filter((nft) => nft.flavour === flavour).length + 1);
  stage.nfts.push({ flavour, id, owner: from, pool: name });
}

/** √price at a tick, exactly the number that the pool computes. */
export function sqrtPriceAt(tick: number): bigint {
  return getSqrtRatioAtTick(tick);
}

const E18 = 10n ** 18n;

function plans({ at: { tokens } }: World): PoolPlan[] {
  const { wbera, weth, honey, usdc, usdt, wbtc, ohm, ibgt, kdk, yeet } = tokens;
  const bera = (amount: bigint) => [wbera, amount] as const;
  const dollars = (amount: bigint) => [honey, amount] as const;
  return [
    { name: "bera-honey", flavour: "uniswap", fee: 3_000, worth: [bera(E18), dollars(5n * E18)] },
    { name: "honey-usdc", flavour: "uniswap", fee: 100, worth: [dollars(E18), [usdc, 10n ** 6n]] },
    { name: "weth-bera", flavour: "uniswap", fee: 500, worth: [[weth, E18 / 100n], bera(6n * E18)] },
    { name: "wbtc-honey", flavour: "uniswap", fee: 10_000, worth: [[wbtc, 10n ** 5n], dollars(95n * E18)] },
    { name: "yeet-bera", flavour: "uniswap", fee: 10_000, worth: [[yeet, 1_000n * E18], bera(E18)] },
    { name: "ohm-honey", flavour: "uniswap", fee: 3_000, worth: [[ohm, 10n ** 9n], dollars(21n * E18)] },
    {
      name: "usdc-usdt",
      flavour: "uniswap",
      fee: 100,
      worth: [
        [usdc, 10n ** 6n],
        [usdt, 10n ** 6n],
      ],
    },
    { name: "kodiak bera-honey", flavour: "kodiak", fee: 500, worth: [bera(E18), dollars(5n * E18)] },
    { name: "kodiak ibgt-bera", flavour: "kodiak", fee: 3_000, worth: [[ibgt, E18], bera((12n * E18) / 10n)] },
    { name: "kodiak kdk-bera", flavour: "kodiak", fee: 10_000, worth: [[kdk, 40n * E18], bera(E18)] },
    { name: "kodiak usdc-honey", flavour: "kodiak", fee: 100, worth: [[usdc, 10n ** 6n], dollars(E18)] },
  ];
}

async function openNextPool(world: World, _random: Random, step: number): Promise<void> {
  const plan = plans(world)[(step - 30) / 4];
  if (plan !== undefined) await openPool(world, plan);
}

/** Opened five days before the end: younger than a week. */
async function openYoungPool(world: World): Promise<void> {
  const { weth, honey } = world.at.tokens;
  await openPool(world, {
    name: "young weth-honey",
    flavour: "uniswap",
    fee: 500,
    worth: [
      [weth, E18],
      [honey, 3_000n * E18],
    ],
  });
}

/** Opened minutes before the end. */
async function openNewbornPool(world: World): Promise<void> {
  const { bera, weth } = world.at.tokens;
  await openPool(world, {
    name: "newborn lst-weth",
    flavour: "kodiak",
    fee: 100,
    worth: [
      [bera, E18],
      [weth, E18],
    ],
  });
}

export const v3PoolActs: readonly Act[] = [
  ...Array.from(
    { length: 11 },
    (_, index): Act => ({ name: `pool ${index}`, first: 30 + 4 * index, run: openNextPool }),
  ),
  { name: "young pool", first: 1_400, run: openYoungPool },
  { name: "newborn pool", first: 1_560, run: openNewbornPool },
];
