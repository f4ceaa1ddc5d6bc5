// Amounts in single pools and along paths: against a pool that goes forward step by step as the contract does, against
// @uniswap/v3-sdk, and against the v2 library's formula with its own figures.
import { createRequire } from "node:module";
import { describe, expect, it } from "vitest";
import { MAX_SQRT_RATIO, MIN_SQRT_RATIO } from "../../core/math/tick-math.ts";
import type { V2Pool, V3Pool } from "../../core/router/pool.ts";
import { PoolTables } from "../../core/router/pool-tables.ts";
import { quoteLegs, quotePath } from "../../core/router/quote-path.ts";
import type { TradeType } from "../../core/router/request.ts";
import { drawFrom, drawV2Pool, drawV3Pool, poolOf } from "../support/random-pools.ts";
import type { ForwardPool } from "./v3-forward-pool.ts";

const [A, B, C] = ["0xa", "0xb", "0xc"] as const;
const plan = { address: "0x1", token0: A, token1: B };
const seed = Number(process.env.SEED ?? 20_261_121);

/** What the contract's loop makes of an order; undefined when it stops at the limit before all is filled. */
function swapForward(forward: ForwardPool, zeroForOne: boolean, amountSpecified: bigint) {
  const sqrtPriceLimitX96 = zeroForOne ? MIN_SQRT_RATIO + 1n : MAX_SQRT_RATIO - 1n;
  const fact = forward.swap({ zeroForOne, amountSpecified, sqrtPriceLimitX96 }).at(-1);
  if (fact?.kind !== "swap") throw new Error("no swap");
  const [paid, received] = zeroForOne ? [fact.amount0, -fact.amount1] : [fact.amount1, -fact.amount0];
  const isFilled = (amountSpecified > 0n ? paid : -received) === amountSpecified;
  return isFilled ? { amountIn: paid, amountOut: received } : undefined;
}

function drawAmount(draw: () => number, most: bigint): bigint {
  const digits = draw() * (String(most).length + 0.5);
  return BigInt(Math.floor(10 ** (digits % 15) * (1 + draw()))) * 10n ** BigInt(15 * Math.floor(digits / 15));
}

/** What a pool can pay in all, about. */
function depth(pool: V3Pool, zeroForOne: boolean): bigint {
  const tables = new PoolTables();
  const path = [{ pool, tokenIn: zeroForOne ? A : B }];
  let [low, high] = [1n, 1n << 120n];
  while (low < high) {
    const middle = (low + high + 1n) / 2n;
    const quote = quoteLegs([{ path, amount: middle }], "exactOut", tables);
    if (quote === undefined) high = middle - 1n;
    else low = middle;
  }
  return low;
}

interface Case {
  forward: ForwardPool;
  pool: V3Pool;
  zeroForOne: boolean;
  type: TradeType;
}

/** Orders one after the other, each from where the one before ended. */
function compareInTurn(
  { forward, pool, zeroForOne, type }: Case,
  amounts: readonly bigint[],
  seen: { compared: number; refused: number; crossings: number },
): void {
  const path = [{ pool, tokenIn: zeroForOne ? A : B }];
  const tables = new PoolTables();
  for (let i = 0; i < amounts.length; i++) {
    const amount = amounts[i] as bigint;
    const legs = amounts.slice(0, i + 1).map((each) => ({ path, amount: each }));
    const quote = quoteLegs(legs, type, tables)?.at(-1);
    const truth = swapForward(forward, zeroForOne, type === "exactIn" ? amount : -amount);
    expect([quote?.amountIn, quote?.amountOut]).toEqual([truth?.amountIn, truth?.amountOut]);
    seen.compared += 1;
    if (truth === undefined) {
      seen.refused += 1;
      return;
    }
    const { price: sqrtPriceX96, tick, liquidity } = forward;
    expect(quote?.hops[0]?.after).toEqual({ kind: "v3", sqrtPriceX96, tick, liquidity });
    seen.crossings += quote?.hops[0]?.ticksCrossed ?? 0;
  }
}

describe("a v3 pool", () => {
  it(`gives and takes what the contract's loop does (seed ${seed})`, () => {
    const draw = drawFrom(seed);
    const seen = { compared: 0, refused: 0, crossings: 0 };
    for (let n = 0; n < 120; n++) {
      const { forward, pool } = drawV3Pool(draw, plan);
      const zeroForOne = draw() < 0.5;
      const most = depth(pool, zeroForOne);
      const type = draw() < 0.5 ? "exactIn" : "exactOut";
      const amounts = [1n, drawAmount(draw, most), most / 5n + 1n, most / 3n + 1n, drawAmount(draw, most), 1n << 119n];
      compareInTurn({ forward, pool, zeroForOne, type }, amounts, seen);
    }
    console.log(`${seen.compared} swaps, ${seen.refused} refused, ${seen.crossings} ticks crossed`);
    expect(seen.compared).toBeGreaterThan(400);
    expect(seen.refused).toBeGreaterThan(20);
    expect(seen.crossings).toBeGreaterThan(150);
  });

  it("goes on from the end of a step exactly, and turns round", () => {
    const draw = drawFrom(seed + 1);
    for (let n = 0; n < 40; n++) {
      const { forward, pool } = drawV3Pool(draw, { ...plan, isFullRange: true });
      const half = depth(pool, true) / 50n + 2n;
      const legs: { path: { pool: V3Pool; tokenIn: string }[]; amount: bigint }[] = [];
      for (const [i, zeroForOne] of [true, false, false, true, false].entries()) {
        const amount = drawAmount(draw, half);
        legs.push({ path: [{ pool, tokenIn: zeroForOne ? A : B }], amount });
        const quote = quoteLegs(legs, "exactIn")?.[i];
        const truth = swapForward(forward, zeroForOne, amount);
        expect([quote?.amountIn, quote?.amountOut]).toEqual([truth?.amountIn, truth?.amountOut]);
        if (truth === undefined) break;
        const { price: sqrtPriceX96, tick, liquidity } = forward;
        expect(quote?.hops[0]?.after).toEqual({ kind: "v3", sqrtPriceX96, tick, liquidity });
      }
    }
  });

  it("quotes what a pool that has just been left where a quote ended would quote", () => {
    const draw = drawFrom(seed + 2);
    for (let n = 0; n < 40; n++) {
      const { forward, pool } = drawV3Pool(draw, plan);
      const amount = drawAmount(draw, depth(pool, true) / 2n + 1n);
      const path = [{ pool, tokenIn: A }];
      const both = quoteLegs(
        [
          { path, amount },
          { path, amount: 12_345n },
        ],
        "exactIn",
      );
      if (both === undefined) continue;
      swapForward(forward, true, amount);
      const later = quotePath([{ pool: poolOf(forward, plan), tokenIn: A }], 12_345n, "exactIn");
      expect(later?.amountOut).toBe(both[1]?.amountOut);
    }
  });

  it("is never used before it has a price, and not beyond its liquidity", () => {
    const empty: V3Pool = {
      ...drawV3Pool(drawFrom(1), plan).pool,
      sqrtPriceX96: 0n,
      tick: 0,
      liquidity: 0n,
      ticks: [],
    };
    expect(quotePath([{ pool: empty, tokenIn: A }], 1n, "exactIn")).toBeUndefined();
    const dry: V3Pool = { ...empty, sqrtPriceX96: 1n << 96n };
    expect(quotePath([{ pool: dry, tokenIn: B }], 1n, "exactOut")).toBeUndefined();
  });
});

interface SdkPool {
  getOutputAmount(input: unknown): Promise<[{ quotient: { toString(): string } }, { sqrtRatioX96: unknown }]>;
  getInputAmount(output: unknown): Promise<[{ quotient: { toString(): string } }, { sqrtRatioX96: unknown }]>;
}

describe("@uniswap/v3-sdk", () => {
  const require = createRequire(import.meta.url);
  const { Pool, TickListDataProvider } = require("@uniswap/v3-sdk");
  const { Token, CurrencyAmount } = createRequire(require.resolve("@uniswap/v3-sdk"))("@uniswap/sdk-core");
  const [token0, token1] = [1, 2].map((n) => new Token(1, `0x${String(n).padStart(40, "0")}`, 18));

  it("says the same, in and out", async () => {
    const draw = drawFrom(seed + 3);
    for (let n = 0; n < 30; n++) {
      const { pool } = drawV3Pool(draw, { ...plan, isFullRange: true });
      const net = pool.ticks.map(({ tick, liquidityNet }) => ({
        index: tick,
        liquidityNet: String(liquidityNet),
        liquidityGross: String(liquidityNet < 0n ? -liquidityNet : liquidityNet || 1n),
      }));
      const [fee, price, liquidity] = [pool.fee, String(pool.sqrtPriceX96), String(pool.liquidity)];
      const provider = new TickListDataProvider(net, pool.tickSpacing);
      const sdk: SdkPool = new Pool(token0, token1, fee, price, liquidity, pool.tick, provider);
      const zeroForOne = draw() < 0.5;
      const [sold, bought] = zeroForOne ? [token0, token1] : [token1, token0];
      const amount = drawAmount(draw, depth(pool, zeroForOne) / 2n + 1n);
      const path = [{ pool, tokenIn: zeroForOne ? A : B }];
      const out = quotePath(path, amount, "exactIn");
      if (out !== undefined) {
        const [truth, end] = await sdk.getOutputAmount(CurrencyAmount.fromRawAmount(sold, String(amount)));
        expect(String(out.amountOut)).toBe(String(truth.quotient));
        expect(out.hops[0]?.after).toMatchObject({ sqrtPriceX96: BigInt(String(end.sqrtRatioX96)) });
      }
      const inn = quotePath(path, amount, "exactOut");
      if (inn !== undefined) {
        const [truth] = await sdk.getInputAmount(CurrencyAmount.fromRawAmount(bought, String(amount)));
        expect(String(inn.amountIn)).toBe(String(truth.quotient));
      }
    }
  });
});

describe("a v2 pair", () => {
  const pair: V2Pool = { ...plan, kind: "v2", fee: 3000, reserve0: 1_000_000n, reserve1: 4_000_000n };

  it("rounds as the library does", () => {
    // 997·1000·4000000 ÷ (1000·1000000 + 997·1000) = 3984.02…; 1000000·4000·1000 ÷ ((4000000 − 4000)·997) + 1 = 1005.01…
    expect(quotePath([{ pool: pair, tokenIn: A }], 1_000n, "exactIn")?.amountOut).toBe(3_984n);
    expect(quotePath([{ pool: pair, tokenIn: A }], 4_000n, "exactOut")?.amountIn).toBe(1_005n);
    expect(quotePath([{ pool: pair, tokenIn: A }], 4_000_000n, "exactOut")).toBeUndefined();
    expect(quotePath([{ pool: pair, tokenIn: B }], 1n, "exactIn")).toBeUndefined();
    expect(quotePath([{ pool: pair, tokenIn: A }], 1n << 112n, "exactIn")).toBeUndefined();
  });

  it("sells what lies in it with the next swap, which makes its balances the reserves", () => {
    const lying: V2Pool = { ...pair, unsynced0: 500n, unsynced1: 77n };
    const path = [{ pool: lying, tokenIn: A }];
    const [first, second] =
      quoteLegs(
        [
          { path, amount: 1_000n },
          { path, amount: 1_000n },
        ],
        "exactIn",
      ) ?? [];
    // 997·1500·4000000 ÷ (1000·1000000 + 997·1500) = 5973.06…
    expect(first?.amountOut).toBe(5_973n);
    expect(first?.hops[0]?.after).toEqual({ kind: "v2", reserve0: 1_001_500n, reserve1: 4_000_000n + 77n - 5_973n });
    const synced = { ...pair, reserve0: 1_001_500n, reserve1: 3_994_104n };
    expect(second?.amountOut).toBe(quotePath([{ pool: synced, tokenIn: A }], 1_000n, "exactIn")?.amountOut);
    expect(quotePath([{ pool: { ...pair, unsynced1: 77n }, tokenIn: A }], 1_000n, "exactIn")?.amountOut).toBe(3_984n);
  });

  it("asks by its reserves for an exact output, whatever lies in it, and gives all that both buy", () => {
    const lying: V2Pool = { ...pair, unsynced0: 500n };
    const quoted = quotePath([{ pool: lying, tokenIn: A }], 4_000n, "exactOut");
    // 997·1505·4000000 ÷ (1000·1000000 + 997·1505) = 5992.94…
    expect([quoted?.amountIn, quoted?.amountOut]).toEqual([1_005n, 4_000n]);
    expect(quoted?.hops[0]?.after).toEqual({ kind: "v2", reserve0: 1_001_505n, reserve1: 4_000_000n - 5_992n });
  });

  it("refuses where a balance would not fit into 112 bits, and where nothing is sold", () => {
    const most = (1n << 112n) - 1n;
    const sell = (pool: V2Pool, amount: bigint) => quotePath([{ pool, tokenIn: A }], amount, "exactIn");
    expect(sell({ ...pair, unsynced0: most - 1_000_000n }, 1n)).toBeUndefined();
    expect(sell({ ...pair, unsynced0: most - 1_000_001n }, 1n)).toBeDefined();
    expect(sell({ ...pair, unsynced1: most }, 1_000n)).toBeUndefined();
    expect(sell({ ...pair, unsynced0: 500n }, 0n)).toBeUndefined();
  });

  it("keeps what an exact output gives beyond what was asked", () => {
    const draw = drawFrom(seed + 4);
    for (let n = 0; n < 200; n++) {
      const pool = drawV2Pool(draw, plan);
      const amount = pool.reserve1 / 10n + 1n;
      const [first, second] = [0, 1].map(() => ({ path: [{ pool, tokenIn: A }], amount })) as [never, never];
      const legs = quoteLegs([first, second], "exactOut");
      const after = legs?.[0]?.hops[0]?.after;
      if (legs === undefined || after?.kind !== "v2") throw new Error("no quote");
      const sold = quotePath([{ pool, tokenIn: A }], legs[0]?.amountIn ?? 0n, "exactIn")?.amountOut ?? 0n;
      expect(sold).toBeGreaterThanOrEqual(amount);
      expect(after.reserve1).toBe(pool.reserve1 - sold);
      const next = { ...pool, reserve0: after.reserve0, reserve1: after.reserve1 };
      expect(legs[1]?.amountIn).toBe(quotePath([{ pool: next, tokenIn: A }], amount, "exactOut")?.amountIn);
    }
  });
});

describe("a path", () => {
  const draw = drawFrom(seed + 5);
  const v3 = drawV3Pool(draw, { ...plan, price: 2, liquidity: 1e12, isFullRange: true }).pool;
  const v2 = drawV2Pool(draw, { address: "0x2", token0: B, token1: C, price: 3, liquidity: 1e12 });

  it("hands each pool's output to the next", () => {
    const quote = quotePath(
      [
        { pool: v3, tokenIn: A },
        { pool: v2, tokenIn: B },
      ],
      1_000_000n,
      "exactIn",
    );
    const middle = quotePath([{ pool: v3, tokenIn: A }], 1_000_000n, "exactIn")?.amountOut ?? 0n;
    expect(quote?.hops.map(({ amountIn }) => amountIn)).toEqual([1_000_000n, middle]);
    expect(quote?.hops.map(({ tokenOut }) => tokenOut)).toEqual([B, C]);
    expect(quote?.amountOut).toBe(quotePath([{ pool: v2, tokenIn: B }], middle, "exactIn")?.amountOut);
  });

  it("has no exact output through both protocols", () => {
    expect(
      quotePath(
        [
          { pool: v3, tokenIn: A },
          { pool: v2, tokenIn: B },
        ],
        1_000n,
        "exactOut",
      ),
    ).toBeUndefined();
  });
});
