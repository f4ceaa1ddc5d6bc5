// One swap in one pool: our tables against @uniswap/v3-sdk and against the plain loop over steps, in the same process.
import { createRequire } from "node:module";
import { computeSwapStep } from "../../core/math/swap-math.ts";
import { nextInitializedTickWithinOneWord } from "../../core/math/tick-bitmap.ts";
import { getSqrtRatioAtTick, getTickAtSqrtRatio } from "../../core/math/tick-math.ts";
import type { V3Pool } from "../../core/router/pool.ts";
import { quotePool } from "../../core/router/quote-path.ts";
import { drawFrom, type World } from "./world.ts";

export interface SingleResult {
  swaps: number;
  /** Microseconds a swap. */
  ours: number;
  cold: number;
  sdk: number;
  loop: number;
}

interface Swap {
  pool: V3Pool;
  zeroForOne: boolean;
  amount: bigint;
  /** For the plain loop, so that it need not make them. */
  ticks: number[];
  net: Map<number, bigint>;
}

/** Amounts of $10 to $500,000 into any pool of the world. */
function drawSwaps({ pools, tokens }: World, count: number): Swap[] {
  const draw = drawFrom(31);
  const v3 = pools.filter((pool) => pool.kind === "v3");
  return Array.from({ length: count }, () => {
    const pool = v3[Math.floor(draw() * v3.length)] as V3Pool;
    const zeroForOne = draw() < 0.5;
    const token = tokens.find(({ address }) => address === (zeroForOne ? pool.token0 : pool.token1));
    const whole = (10 * 50_000 ** draw()) / (token?.price ?? 1);
    const amount = (BigInt(Math.ceil(whole * 1e6)) * 10n ** BigInt(token?.decimals ?? 18)) / 1_000_000n + 1n;
    const ticks = pool.ticks.map(({ tick }) => tick);
    const net = new Map(pool.ticks.map(({ tick, liquidityNet }) => [tick, liquidityNet]));
    return { pool, zeroForOne, amount, ticks, net };
  });
}

export async function measureSinglePools(world: World, count: number): Promise<SingleResult> {
  const swaps = drawSwaps(world, count);
  const ask = ({ pool, zeroForOne, amount }: Swap) =>
    quotePool(pool, zeroForOne ? pool.token0 : pool.token1, { amount, type: "exactIn" })?.amountOut;
  const fresh = swaps.map((swap) => ({ ...swap, pool: { ...swap.pool } }));
  for (const swap of swaps) ask(swap);
  const cold = each(fresh, ask);
  const ours = each(swaps, ask, 20);
  const loop = each(swaps, (swap) => swapInLoop(swap));
  const { askSdk, prepared } = sdkSwaps(swaps);
  for (const swap of prepared.slice(0, 50)) await askSdk(swap);
  const start = performance.now();
  const truths: bigint[] = [];
  for (const swap of prepared) truths.push(await askSdk(swap));
  const sdk = ((performance.now() - start) * 1e3) / swaps.length;
  swaps.forEach((swap, i) => {
    const [mine, plain] = [ask(swap), swapInLoop(swap)];
    // beyond the pool's liquidity the others stop in the middle, and we have no answer
    if (mine !== undefined && (mine !== truths[i] || mine !== plain)) throw new Error("amounts differ");
  });
  return { swaps: swaps.length, ours, cold, sdk, loop };
}

function each<T>(items: readonly T[], work: (item: T) => unknown, rounds = 1): number {
  const start = performance.now();
  for (let round = 0; round < rounds; round++) for (const item of items) work(item);
  return ((performance.now() - start) * 1e3) / items.length / rounds;
}

/** The contract's loop, step by step. */
function swapInLoop({ pool, zeroForOne, amount, ticks, net }: Swap): bigint {
  let { sqrtPriceX96: price, tick, liquidity } = pool;
  let [left, output] = [amount, 0n];
  while (left > 0n) {
    const found = nextInitializedTickWithinOneWord(ticks, { tick, tickSpacing: pool.tickSpacing, lte: zeroForOne });
    if (found.next < -887_272 || found.next > 887_272) break;
    const target = getSqrtRatioAtTick(found.next);
    const step = computeSwapStep(price, target, liquidity, left, BigInt(pool.fee));
    left -= step.amountIn + step.feeAmount;
    output += step.amountOut;
    price = step.sqrtRatioNextX96;
    if (price !== target) {
      tick = getTickAtSqrtRatio(price);
      continue;
    }
    if (found.initialized) liquidity += (net.get(found.next) ?? 0n) * (zeroForOne ? -1n : 1n);
    tick = zeroForOne ? found.next - 1 : found.next;
  }
  return output;
}

interface SdkAmount {
  quotient: { toString(): string };
}

interface SdkPool {
  getOutputAmount(input: unknown): Promise<[SdkAmount, unknown]>;
}

interface PreparedSwap {
  pool: SdkPool;
  input: unknown;
}

function sdkSwaps(swaps: readonly Swap[]): { prepared: PreparedSwap[]; askSdk(swap: PreparedSwap): Promise<bigint> } {
  const require = createRequire(import.meta.url);
  const { Pool, TickListDataProvider } = require("@uniswap/v3-sdk");
  const { Token, CurrencyAmount } = createRequire(require.resolve("@uniswap/v3-sdk"))("@uniswap/sdk-core");
  const made = new Map<V3Pool, { pool: SdkPool; tokens: [unknown, unknown] }>();
  const prepared = swaps.map(({ pool, zeroForOne, amount }) => {
    let prepared = made.get(pool);
    if (prepared === undefined) {
      const tokens: [unknown, unknown] = [new Token(1, pool.token0, 18), new Token(1, pool.token1, 18)];
      const ticks = pool.ticks.map(({ tick, liquidityNet }) => {
        const gross = liquidityNet < 0n ? -liquidityNet : liquidityNet;
        return { index: tick, liquidityNet: String(liquidityNet), liquidityGross: String(gross) };
      });
      const provider = new TickListDataProvider(ticks, pool.tickSpacing);
      const [price, liquidity] = [String(pool.sqrtPriceX96), String(pool.liquidity)];
      prepared = { pool: new Pool(...tokens, pool.fee, price, liquidity, pool.tick, provider), tokens };
      made.set(pool, prepared);
    }
    const input = CurrencyAmount.fromRawAmount(prepared.tokens[zeroForOne ? 0 : 1], String(amount));
    return { pool: prepared.pool, input };
  });
  const askSdk = async ({ pool, input }: PreparedSwap) =>
    BigInt((await pool.getOutputAmount(input))[0].quotient.toString());
  return { prepared, askSdk };
}
