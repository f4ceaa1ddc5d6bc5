// One swap in one pool: our tables against @uniswap/v3-sdk and against the plain loop over steps, in the same process.
import { createRequire } from "node:module";
import type { V3Pool } from "../../core/router/pool.ts";
import { V3Run } from "../../core/router/pool-run.ts";
import { PoolTables } from "../../core/router/pool-tables.ts";
import { LoopPool } from "./loop-pool.ts";
import { drawFrom, type World } from "./world.ts";

export interface SingleResult {
  swaps: number;
  /** Microseconds per swap. */
  ours: number;
  cold: number;
  sdk: number;
  loop: number;
}

interface Swap {
  pool: V3Pool;
  zeroForOne: boolean;
  amount: bigint;
  /** For the plain loop, made beforehand so that making it is not measured. */
  loop: LoopPool;
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
    return { pool, zeroForOne, amount, loop: new LoopPool(pool) };
  });
}

export async function measureSinglePools(world: World, count: number): Promise<SingleResult> {
  const swaps = drawSwaps(world, count);
  const tables = new PoolTables();
  const ask = ({ pool, zeroForOne, amount }: Swap) =>
    new V3Run(pool, tables).swap(zeroForOne ? pool.token0 : pool.token1, amount, "exactIn")?.amountOut;
  const fresh = swaps.map((swap) => ({ ...swap, pool: { ...swap.pool } }));
  for (const swap of swaps) ask(swap);
  const cold = each(fresh, ask);
  const ours = each(swaps, ask, 20);
  const plain = swaps.map((swap) => () => swap.loop.sell(swap.zeroForOne, swap.amount));
  const loopAnswers: bigint[] = [];
  const loop = each(plain, (swap) => loopAnswers.push(swap()));
  const { askSdk, prepared } = sdkSwaps(swaps);
  for (const swap of prepared.slice(0, 50)) await askSdk(swap);
  const start = performance.now();
  const truths: bigint[] = [];
  for (const swap of prepared) truths.push(await askSdk(swap));
  const sdk = ((performance.now() - start) * 1e3) / swaps.length;
  swaps.forEach((swap, i) => {
    const mine = ask(swap);
    // beyond the pool's liquidity the others stop midway, and ours has no answer
    if (mine !== undefined && (mine !== truths[i] || mine !== loopAnswers[i])) throw new Error("amounts differ");
  });
  return { swaps: swaps.length, ours, cold, sdk, loop };
}

function each<T>(items: readonly T[], work: (item: T) => unknown, rounds = 1): number {
  const start = performance.now();
  for (let round = 0; round < rounds; round++) for (const item of items) work(item);
  return ((performance.now() - start) * 1e3) / items.length / rounds;
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
