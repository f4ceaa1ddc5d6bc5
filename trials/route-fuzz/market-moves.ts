// What happens in a made-up market between quotes: liquidity comes and goes, others trade. It does not matter if the contracts
// refuse some of it.
import { type Address, encodeFunctionData } from "viem";
import { MAX_SQRT_RATIO, MAX_TICK, MIN_SQRT_RATIO } from "../../core/math/tick-math.ts";
import type { Pool } from "../../core/router/pool.ts";
import { readArtifact } from "../../devnet/compile/artifacts.ts";
import { chooseRange } from "../../devnet/fuzz/v3-choices.ts";
import type { FuzzPool } from "../../devnet/fuzz/v3-setting.ts";
import type { Random } from "../../devnet/scenario/random.ts";
import { depthOf, type Market } from "../../verify/quotes/questions.ts";
import { callerAbi, DEADLINE, GAS, type MadeMarket, type MadeToken, MOST_QUEUED, marketAbi } from "./made-market.ts";
import type { MarketWatch } from "./market-watch.ts";

const poolAbi = readArtifact("UniswapV3Pool").abi;

export interface Scene {
  made: MadeMarket;
  watch: MarketWatch;
  random: Random;
}

/** Fills the pools: most over the whole range, all of them around their price. */
export async function fillPools({ made, watch, random }: Scene): Promise<void> {
  let queued = 0;
  for (const pool of made.stage.pools) {
    const edge = Math.trunc(MAX_TICK / pool.tickSpacing) * pool.tickSpacing;
    const whole = wholeLiquidity(made, pool, 10_000 * 100 ** random.next());
    if (random.chance(0.8)) mint(made, { pool, random, range: [-edge, edge], liquidity: whole });
    const count = random.between(2, 12);
    for (let n = 0; n < count; n++) mintAtRandom({ made, watch, random }, pool, whole);
    queued += count + 1;
    if (queued < MOST_QUEUED - 20) continue;
    await made.stage.chain.seal();
    queued = 0;
  }
  await made.stage.chain.seal();
}

/** Some random acts, in one block. */
export async function moveMarket(scene: Scene, market: Market, acts: number): Promise<void> {
  const { made, random } = scene;
  for (let n = 0; n < acts; n++) {
    const { pool } = random.pick([...market.pools.values()]);
    const opened = made.stage.pools.find(({ address }) => address === pool.address);
    if (opened === undefined) tradePair(scene, pool);
    else if (random.chance(0.6)) tradePool(scene, pool);
    else if (random.chance(0.5)) mintAtRandom(scene, opened, wholeLiquidity(made, opened, 10_000));
    else burnAtRandom(scene, opened);
  }
  await made.stage.chain.seal();
}

/** Liquidity that is worth `worth` dollars over the whole range. */
function wholeLiquidity({ tokens }: MadeMarket, { token0, token1 }: FuzzPool, worth: number): bigint {
  const held = (address: Address) => {
    const { price, decimals } = tokens.find((token) => token.address === address) as MadeToken;
    return (worth / 2 / price) * 10 ** decimals;
  };
  return BigInt(Math.floor(Math.sqrt(held(token0) * held(token1))));
}

/** The narrower the range, the more liquidity. */
function mintAtRandom({ made, watch, random }: Scene, pool: FuzzPool, whole: bigint): void {
  const range = chooseRange({ state: watch.stateOf(pool), random });
  const most = Math.min(100, Math.max(1, 20_000 / (range[1] - range[0])));
  const part = BigInt(Math.ceil(most * 10 ** (-2 * random.next()) * 1_000));
  mint(made, { pool, random, range, liquidity: (whole * part) / 1_000n + 1n });
}

interface Minting {
  pool: FuzzPool;
  random: Random;
  range: readonly [lower: number, upper: number];
  liquidity: bigint;
}

function mint({ stage }: MadeMarket, { pool, random, range, liquidity }: Minting): void {
  const from = random.pick(stage.accounts);
  const args = [pool.address, from, ...range, liquidity];
  const data = encodeFunctionData({ abi: callerAbi, functionName: "mintDirect", args });
  stage.chain.queue({ from, to: stage.caller, data, gas: GAS, reverts: "maybe" });
}

function burnAtRandom({ made, watch, random }: Scene, pool: FuzzPool): void {
  const positions = [...watch.stateOf(pool).positions.values()].filter(({ liquidity }) => liquidity > 0n);
  if (positions.length === 0) return;
  const { owner, tickLower, tickUpper, liquidity } = random.pick(positions);
  const args = [tickLower, tickUpper, random.chance(0.5) ? liquidity : liquidity / 2n];
  const data = encodeFunctionData({ abi: poolAbi, functionName: "burn", args });
  made.stage.chain.queue({ from: owner as Address, to: pool.address, data, gas: GAS, reverts: "maybe" });
}

/** From a millionth to a third of what is there. */
const tradeOf = (random: Random, pool: Pool, token: string): bigint =>
  (depthOf(pool, token) * BigInt(Math.ceil(10 ** (6 - 6 * random.next())))) / 3_000_000n + 1n;

function tradePool({ made: { stage }, random }: Scene, pool: Pool): void {
  const from = random.pick(stage.accounts);
  const zeroForOne = random.chance(0.5);
  const amount = tradeOf(random, pool, zeroForOne ? pool.token0 : pool.token1);
  const limit = zeroForOne ? MIN_SQRT_RATIO + 1n : MAX_SQRT_RATIO - 1n;
  const args = [pool.address, from, zeroForOne, amount, limit];
  const data = encodeFunctionData({ abi: callerAbi, functionName: "swapDirect", args });
  stage.chain.queue({ from, to: stage.caller, data, gas: GAS, reverts: "maybe" });
}

function tradePair({ made: { stage, v2Router }, random }: Scene, pool: Pool): void {
  const from = random.pick(stage.accounts);
  const path = (random.chance(0.5) ? [pool.token0, pool.token1] : [pool.token1, pool.token0]) as Address[];
  const args = [tradeOf(random, pool, path[0] as string), 0n, path, from, DEADLINE] as const;
  const data = encodeFunctionData({ abi: marketAbi, functionName: "swapExactTokensForTokens", args });
  stage.chain.queue({ from, to: v2Router, data, gas: GAS, reverts: "maybe" });
}
