// Trades on v3 pools: exact input and output, routed, to a price limit, across many ticks; flashes and protocol fees.
import { type Address, encodeFunctionData, encodePacked, maxUint128, parseAbi } from "viem";
import type { Random } from "./random.ts";
import { onStage, type V3PoolOnStage } from "./stage.ts";
import { readSlot, sqrtPriceAt } from "./v3-pools.ts";
import { type Act, invoke, ownerOf, tradersOf, type World } from "./world.ts";

const ALWAYS = Number.POSITIVE_INFINITY;
/** The outermost price limits that a pool accepts, far from any price: in effect no limit. */
const MIN_LIMIT = 4_295_128_740n;
const MAX_LIMIT = 1_461_446_703_485_210_103_287_273_052_203_988_822_378_723_970_341n;

interface Side {
  pool: V3PoolOnStage;
  tokenIn: Address;
  tokenOut: Address;
  unitIn: bigint;
  unitOut: bigint;
}

function sideOf(pool: V3PoolOnStage, zeroForOne: boolean): Side {
  const [tokenIn, tokenOut] = zeroForOne ? [pool.token0, pool.token1] : [pool.token1, pool.token0];
  const [unitIn, unitOut] = zeroForOne ? [pool.unit0, pool.unit1] : [pool.unit1, pool.unit0];
  return { pool, tokenIn, tokenOut, unitIn, unitOut };
}

function pickPool(world: World, random: Random): V3PoolOnStage {
  return random.pick([...world.stage.v3.values()]);
}

/** Up to 30 units, one in ten up to 300: tens to thousands of dollars. Reverts if an earlier swap has left no liquidity ahead of the price. */
function swapExactInput(world: World, random: Random): void {
  const { pool, tokenIn, tokenOut, unitIn } = sideOf(pickPool(world, random), random.chance(0.5));
  const from = random.pick(tradersOf(world, pool.address));
  const to = world.at.v3[pool.flavour].swapRouter02;
  const amountIn = random.amount(unitIn / 10n, (random.chance(0.1) ? 300n : 30n) * unitIn);
  world.purse.pay({ from, token: tokenIn, amount: amountIn, spender: to });
  const order = { tokenIn, tokenOut, fee: pool.fee, recipient: random.chance(0.9) ? from : random.pick(world.actors) };
  const args = [{ ...order, amountIn, amountOutMinimum: 0n, sqrtPriceLimitX96: 0n }];
  invoke(world, { name: "SwapRouter02", to, call: "exactInputSingle", args, from, reverts: "maybe" });
}

function swapExactOutput(world: World, random: Random): void {
  const { pool, tokenIn, tokenOut, unitIn, unitOut } = sideOf(pickPool(world, random), random.chance(0.5));
  const from = random.pick(tradersOf(world, pool.address));
  const to = world.at.v3[pool.flavour].swapRouter02;
  const amountOut = random.amount(unitOut / 10n, 20n * unitOut);
  const amountInMaximum = 400n * unitIn;
  world.purse.pay({ from, token: tokenIn, amount: amountInMaximum, spender: to });
  const order = {
    tokenIn,
    tokenOut,
    fee: pool.fee,
    recipient: from,
    amountOut,
    amountInMaximum,
    sqrtPriceLimitX96: 0n,
  };
  invoke(world, { name: "SwapRouter02", to, call: "exactOutputSingle", args: [order], from, reverts: "maybe" });
}

/** Two hops in one transaction, through pools of one flavour. */
function swapRouted(world: World, random: Random): void {
  const [first, second] = [onStage(world.stage.v3, "weth-bera"), onStage(world.stage.v3, "bera-honey")];
  const { weth, wbera, honey } = world.at.tokens;
  const from = random.pick(tradersOf(world, first.address));
  const to = world.at.v3.uniswap.swapRouter02;
  const amountIn = random.amount(10n ** 15n, 10n ** 17n);
  world.purse.pay({ from, token: weth, amount: amountIn, spender: to });
  const path = encodePacked(
    ["address", "uint24", "address", "uint24", "address"],
    [weth, first.fee, wbera, second.fee, honey],
  );
  const args = [{ path, recipient: from, amountIn, amountOutMinimum: 0n }];
  invoke(world, { name: "SwapRouter02", to, call: "exactInput", args, from, reverts: "maybe" });
}

/** Trades until the price stands exactly at a tick near where the pool was opened: keeps prices sane and hits limits. */
async function swapToLimit(world: World, random: Random): Promise<void> {
  const pool = pickPool(world, random);
  const goal = pool.baseTick + random.between(-3, 3) * pool.tickSpacing;
  const limit = sqrtPriceAt(goal);
  const { sqrtPriceX96 } = await readSlot(world, pool.address);
  if (sqrtPriceX96 === limit) return;
  swapDirect(world, {
    pool,
    from: random.pick(tradersOf(world, pool.address)),
    zeroForOne: limit < sqrtPriceX96,
    units: 8_000n,
    limit,
  });
}

/** Through every position of the pool and out at the other side; a later trade to a limit brings it back. */
function swapAcrossTicks(world: World, random: Random): void {
  const pool = pickPool(world, random);
  const zeroForOne = random.chance(0.5);
  const limit = sqrtPriceAt(pool.baseTick + (zeroForOne ? -1 : 1) * 30 * pool.tickSpacing);
  swapDirect(world, { pool, from: random.pick(tradersOf(world, pool.address)), zeroForOne, units: 8_000n, limit });
}

interface DirectSwap {
  pool: V3PoolOnStage;
  from: Address;
  zeroForOne: boolean;
  units: bigint;
  limit?: bigint;
}

/** Without a router: partial fills at the limit are kept. May revert if the price has already passed the limit. */
function swapDirect(world: World, { pool, from, zeroForOne, units, limit }: DirectSwap): void {
  const { tokenIn, unitIn } = sideOf(pool, zeroForOne);
  const to = world.at.poolCaller;
  world.purse.pay({ from, token: tokenIn, amount: units * unitIn, spender: to });
  const args = [pool.address, from, zeroForOne, units * unitIn, limit ?? (zeroForOne ? MIN_LIMIT : MAX_LIMIT)];
  invoke(world, { name: "PoolCaller", to, call: "swapDirect", args, from, reverts: "maybe" });
}

/** Borrows one token or both, with and without a tip on top of the fee. */
function flash(world: World, random: Random): void {
  const pool = pickPool(world, random);
  const from = random.pick(tradersOf(world, pool.address));
  const to = world.at.poolCaller;
  const amount0 = random.chance(0.3) ? 0n : random.amount(1n, 500n * pool.unit0);
  const amount1 = random.chance(0.3) ? 0n : random.amount(1n, 500n * pool.unit1);
  const tip = random.chance(0.5) ? 0n : random.amount(1n, 1_000n);
  world.purse.pay({ from, token: pool.token0, amount: amount0 / 50n + tip + 1n, spender: to });
  world.purse.pay({ from, token: pool.token1, amount: amount1 / 50n + tip + 1n, spender: to });
  invoke(world, {
    name: "PoolCaller",
    to,
    call: "borrow",
    args: [pool.address, amount0, amount1, tip],
    from,
    reverts: "maybe",
  });
}

const uniswapFees = parseAbi(["function setFeeProtocol(uint8, uint8)"]);
const kodiakFees = parseAbi(["function setFeeProtocol(uint32, uint32)"]);

function setProtocolFees(world: World, random: Random): void {
  const pool = pickPool(world, random);
  const data =
    pool.flavour === "uniswap"
      ? encodeFunctionData({ abi: uniswapFees, args: [random.pick([0, 4, 7, 10]), random.pick([0, 4, 6, 10])] })
      : encodeFunctionData({
          abi: kodiakFees,
          args: [random.pick([0, 1_000, 3_500]), random.pick([2_000, 3_500, 4_000])],
        });
  world.chain.queue({ from: ownerOf(world), to: pool.address, data });
}

function collectProtocolFees(world: World, random: Random): void {
  const owner = ownerOf(world);
  const args = [owner, random.chance(0.7) ? maxUint128 : 1n, maxUint128];
  invoke(world, {
    name: "UniswapV3Pool",
    to: pickPool(world, random).address,
    call: "collectProtocol",
    args,
    from: owner,
  });
}

/** Sends tokens to the pool itself: they are in its balance, but belong to nobody's liquidity. */
function donate(world: World, random: Random): void {
  const pool = pickPool(world, random);
  const from = random.pick(tradersOf(world, pool.address));
  const amount = random.amount(1n, pool.unit0);
  world.purse.pay({ from, token: pool.token0, amount });
  invoke(world, { name: "MintableToken", to: pool.token0, call: "transfer", args: [pool.address, amount], from });
}

export const v3SwapActs: readonly Act[] = [
  { name: "v3 exact input", first: 35, last: ALWAYS, chance: 0.4, live: 0.6, run: swapExactInput },
  { name: "v3 exact input again", first: 80, last: ALWAYS, chance: 0.1, live: 0.3, run: swapExactInput },
  { name: "v3 exact output", first: 40, last: ALWAYS, chance: 0.12, live: 0.15, run: swapExactOutput },
  { name: "v3 routed", first: 60, last: ALWAYS, chance: 0.04, live: 0.05, run: swapRouted },
  { name: "v3 to a limit", first: 50, last: ALWAYS, chance: 0.12, live: 0.1, run: swapToLimit },
  { name: "v3 across ticks", first: 120, last: ALWAYS, chance: 0.015, run: swapAcrossTicks },
  { name: "v3 flash", first: 90, last: ALWAYS, chance: 0.02, live: 0.02, run: flash },
  { name: "v3 protocol fee", first: 200, last: ALWAYS, chance: 0.012, run: setProtocolFees },
  { name: "v3 collect protocol", first: 250, last: ALWAYS, chance: 0.012, run: collectProtocolFees },
  { name: "v3 donation", first: 100, last: ALWAYS, chance: 0.01, run: donate },
];
