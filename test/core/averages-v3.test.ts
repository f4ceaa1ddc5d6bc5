// Sums of claims and of time in range, in one pass over a pool, against every block looked at by itself.
import { describe, expect, it } from "vitest";
import { FRACTION_BITS } from "../../core/averages/cumulative.ts";
import type { Step, Steps } from "../../core/averages/steps.ts";
import { claimSteps, type ExactClaim } from "../../core/averages/v3/claim-steps.ts";
import {
  type LiquiditySpan,
  type PoolHistory,
  type TickSpan,
  UnpricedLiquidityError,
} from "../../core/averages/v3/pool-history.ts";
import { weighClaims } from "../../core/averages/v3/weigh-claims.ts";
import { weighInside } from "../../core/averages/v3/weigh-inside.ts";
import { bruteClaims, claimThen, type Ratio } from "../../devnet/fuzz/exact-claims.ts";
import { type BlockEnd, drawPoolBlocks } from "../support/pool-blocks.ts";
import { drawFrom } from "../support/random-pools.ts";

const WORLDS = Number(process.env.AVERAGE_WORLDS ?? 300);

interface World {
  ends: BlockEnd[];
  from: number;
  to: number;
  pool: PoolHistory;
  /** Each position's rows over the range. */
  spans: { index: number; span: LiquiditySpan }[];
  weightOf: (block: number) => bigint;
}

function drawWorld(seed: number): World {
  const draw = drawFrom(seed);
  const ends = drawPoolBlocks({ draw, blocks: 24, positions: 6, isWrapping: draw() < 0.25 });
  const from = Math.floor(draw() * 12);
  const to = draw() < 0.1 ? from : from + Math.floor(draw() * (ends.length - from));
  const kind = Math.floor(draw() * 3);
  const weights = ends.map(() =>
    kind === 0 ? 1n : kind === 1 ? BigInt(Math.floor(draw() * 5)) : BigInt(Math.floor(draw() * 2 ** 50)) * 10n ** 20n,
  );
  return { ends, from, to, ...stretchesOf(ends, from, to), weightOf: (block) => weights[block]! };
}

/** What the index would give of these blocks. */
function stretchesOf(ends: BlockEnd[], from: number, to: number): Pick<World, "pool" | "spans"> {
  const runs = <T>(
    valueAt: (end: BlockEnd) => T | undefined,
  ): { from: number; until: number; value: T | undefined }[] => {
    const found: { from: number; until: number; value: T | undefined }[] = [];
    for (let block = from; block <= to; block++) {
      const value = valueAt(ends[block]!);
      const last = found.at(-1);
      if (last && shown(last.value) === shown(value)) last.until = block + 1;
      else found.push({ from: block, until: block + 1, value });
    }
    return found;
  };
  const ticks = [...new Set(ends.flatMap((end) => [...end.ticks.keys()]))];
  return {
    pool: {
      slots: runs((end) => end.slot).map(({ from: since, value }) => ({ from: since, value })),
      ticks: ticks.flatMap((tick) =>
        runs((end) => end.ticks.get(tick)).flatMap(({ value, ...span }): TickSpan[] =>
          value === undefined ? [] : [{ tick, ...span, ...value }],
        ),
      ),
    },
    spans: ends[0]!.positions.flatMap((_, index) =>
      runs((end) => end.positions[index]).map(({ value, ...span }) => ({ index, span: { ...span, ...value! } })),
    ),
  };
}

const shown = (value: unknown): string =>
  JSON.stringify(value, (_, part) => (typeof part === "bigint" ? String(part) : part)) ?? "nothing";

/** Scaled by 2^FRACTION_BITS. */
function cumulativeOf({ ends, weightOf }: World) {
  const before = [0n];
  for (let block = 0; block < ends.length; block++) before.push(before[block]! + (weightOf(block) << FRACTION_BITS));
  return { at: (block: number) => before[block]! };
}

/** How far a scaled sum is from the exact one, in units of 2^-FRACTION_BITS, rounded up. */
function error(sum: bigint, { over, under }: Ratio): bigint {
  const difference = sum * under - (over << FRACTION_BITS);
  return (difference < 0n ? -difference : difference) / under + 1n;
}

const seeds = Array.from({ length: WORLDS }, (_, seed) => seed + 1);

describe("sums of claims over blocks", () => {
  it(`are those of every block looked at by itself, in ${WORLDS} drawn pools`, () => {
    const count = { spans: 0, wrapping: 0, late: 0, earning: 0 };
    for (const seed of seeds) {
      const world = drawWorld(seed);
      const sums = weighClaims(
        world.pool,
        world.spans.map(({ span }) => span),
        cumulativeOf(world),
      );
      world.spans.forEach(({ index, span }, place) => {
        const exact = bruteClaims(
          world.ends.slice(span.from, span.until).map((pool, since) => ({
            pool,
            position: pool.positions[index]!,
            weight: world.weightOf(span.from + since),
          })),
        );
        const { amount0, amount1 } = sums[place]!;
        const worst = error(amount0, exact[0]) + error(amount1, exact[1]);
        expect(worst < 2n ** 200n, `seed ${seed}, span ${place}: off by 2^${worst.toString(2).length - 513}`).toBe(
          true,
        );
        count.spans++;
        if (span.liquidity > 0n) count.earning++;
      });
      if (world.pool.slots.some(({ value }) => (value?.feeGrowthGlobal0X128 ?? 0n) >= 2n ** 255n)) count.wrapping++;
      if (world.pool.slots[0]!.value === undefined) count.late++;
    }
    console.log("worlds of averages", count);
    for (const number of Object.values(count)) expect(number).toBeGreaterThan(WORLDS / 30);
  });

  it("are the same whether growth is near its end or not, where nothing wraps within the range", () => {
    let compared = 0;
    for (const seed of seeds.slice(0, 60)) {
      const world = drawWorld(seed);
      const spans = world.spans.map(({ span }) => span);
      const weight = cumulativeOf(world);
      // growth of 2^255 is taken for such that may wrap: all differences stay what they were
      const shift = 2n ** 255n;
      const shifted = shiftGrowth(world.pool, shift);
      const isPlain = world.pool.slots.every(({ value }) => (value?.feeGrowthGlobal0X128 ?? 0n) < 2n ** 200n);
      if (!isPlain) continue;
      const [plain, explicit] = [weighClaims(world.pool, spans, weight), weighClaims(shifted, spans, weight)];
      plain.forEach(({ amount0, amount1 }, index) => {
        for (const difference of [amount0 - explicit[index]!.amount0, amount1 - explicit[index]!.amount1]) {
          expect(difference < 2n ** 200n && difference > -(2n ** 200n)).toBe(true);
          compared++;
        }
      });
    }
    expect(compared).toBeGreaterThan(200);
  });

  it("are refused where a tick of the liquidity is missing for a block", () => {
    const world = seeds.map(drawWorld).find(({ spans }) => spans.some(({ span }) => span.liquidity > 0n))!;
    const { span } = world.spans.find((one) => one.span.liquidity > 0n)!;
    const ticks = world.pool.ticks.filter(({ tick }) => tick !== span.tickUpper);
    const weight = cumulativeOf(world);
    expect(() => weighClaims({ ...world.pool, ticks }, [span], weight)).toThrow(UnpricedLiquidityError);
    expect(() => claimStepsOf({ ...world.pool, ticks }, span)).toThrow(UnpricedLiquidityError);
    const cut = world.pool.ticks.map((tick) =>
      tick.tick === span.tickLower ? { ...tick, until: span.until - 1 } : tick,
    );
    expect(() => weighClaims({ ...world.pool, ticks: cut }, [span], weight)).toThrow(UnpricedLiquidityError);
    expect(() => claimStepsOf({ ...world.pool, ticks: cut }, span)).toThrow(UnpricedLiquidityError);
  });
});

function claimStepsOf({ slots, ticks }: PoolHistory, span: LiquiditySpan): Steps<ExactClaim> {
  const spansOf = (tick: number) => ticks.filter((one) => one.tick === tick).sort((a, b) => a.from - b.from);
  return claimSteps(slots, { lower: spansOf(span.tickLower), upper: spansOf(span.tickUpper) }, span);
}

function shiftGrowth(pool: PoolHistory, shift: bigint): PoolHistory {
  return {
    slots: pool.slots.map(({ from, value }) => ({
      from,
      value: value && {
        ...value,
        feeGrowthGlobal0X128: value.feeGrowthGlobal0X128 + shift,
        feeGrowthGlobal1X128: value.feeGrowthGlobal1X128 + shift,
      },
    })),
    // below a tick nothing is added: growth outside of one that the price is under takes the shift
    ticks: pool.ticks.flatMap((span) => cutAtSlots(pool, span, shift)),
  };
}

/** Outside is the side where the price is not: it takes the shift while the price is below the tick. */
function cutAtSlots(pool: PoolHistory, span: TickSpan, shift: bigint): TickSpan[] {
  const slot = pool.slots.findLast(({ from }) => from <= span.from)!.value!;
  if (slot.tick >= span.tick) return [span];
  return [
    {
      ...span,
      feeGrowthOutside0X128: span.feeGrowthOutside0X128 + shift,
      feeGrowthOutside1X128: span.feeGrowthOutside1X128 + shift,
    },
  ];
}

describe("a position's claim at each block", () => {
  it("is the claim by the pool's storage at the end of that block, principal and fees apart", () => {
    let compared = 0;
    for (const seed of seeds.slice(0, 100)) {
      const { ends, pool, spans } = drawWorld(seed);
      for (const { index, span } of spans) {
        const steps = claimStepsOf(pool, span);
        expect(steps[0]!.from).toBe(span.from);
        for (let block = span.from; block < span.until; block++) {
          const { value } = steps.findLast(({ from }) => from <= block) as Step<ExactClaim>;
          const { principal, fees } = claimThen(ends[block]!, ends[block]!.positions[index]!);
          const pairs: [ExactClaim["fees0"], Ratio][] = [
            [value.principal0, principal[0]],
            [value.principal1, principal[1]],
            [value.fees0, fees[0]],
            [value.fees1, fees[1]],
          ];
          for (const [{ numerator, denominator }, { over, under }] of pairs) {
            expect(numerator * under).toBe(over * denominator);
          }
          compared++;
        }
      }
    }
    expect(compared).toBeGreaterThan(1000);
  });
});

describe("time in range", () => {
  it("is the weight of the blocks at whose end the tick was in it", () => {
    for (const seed of seeds) {
      const world = drawWorld(seed);
      const draw = drawFrom(seed + 10_000);
      const ranges = Array.from({ length: 8 }, () => {
        const from = world.from + Math.floor(draw() * (world.to + 1 - world.from));
        const { tickLower, tickUpper } = world.ends[0]!.positions[Math.floor(draw() * 6)]!;
        return { from, until: from + Math.floor(draw() * (world.to + 2 - from)), tickLower, tickUpper };
      });
      const sums = weighInside(world.pool.slots, ranges, cumulativeOf(world));
      ranges.forEach(({ from, until, tickLower, tickUpper }, index) => {
        let expected = 0n;
        for (let block = from; block < until; block++) {
          const tick = world.ends[block]!.slot?.tick;
          if (tick !== undefined && tickLower <= tick && tick < tickUpper) expected += world.weightOf(block);
        }
        expect(sums[index]).toBe(expected << FRACTION_BITS);
      });
    }
  });
});

describe("large pools", () => {
  it("100,000 changes of price under 50,000 positions are weighed in one go, and how long that takes is printed", () => {
    const draw = drawFrom(7);
    const slots = 100_000;
    const drawTick = () => Math.floor(draw() * 4000 - 2000) * 10;
    const weight = { at: (block: number) => BigInt(block * 2) << FRACTION_BITS };
    const pool: PoolHistory = {
      slots: Array.from({ length: slots }, (_, index) => ({
        from: index * 10,
        value: {
          tick: drawTick(),
          sqrtPriceX96: 2n ** 96n + BigInt(index),
          feeGrowthGlobal0X128: BigInt(index) * 2n ** 100n,
          feeGrowthGlobal1X128: BigInt(index) * 2n ** 101n,
        },
      })),
      ticks: Array.from({ length: 4001 }, (_, index) => ({
        tick: (index - 2000) * 10,
        from: 0,
        until: slots * 10,
        feeGrowthOutside0X128: 0n,
        feeGrowthOutside1X128: 0n,
      })),
    };
    const spans = Array.from({ length: 50_000 }, (): LiquiditySpan => {
      const [a, b] = [drawTick(), drawTick()].sort((x, y) => x - y) as [number, number];
      const from = Math.floor(draw() * slots * 9);
      return {
        from,
        until: from + 1 + Math.floor(draw() * slots),
        tickLower: a,
        tickUpper: b + 10,
        liquidity: 10n ** 18n,
        feeGrowthInside0LastX128: 0n,
        feeGrowthInside1LastX128: 0n,
        tokensOwed0: 0n,
        tokensOwed1: 0n,
      };
    });
    const start = performance.now();
    expect(weighClaims(pool, spans, weight)).toHaveLength(spans.length);
    const took = performance.now() - start;
    console.log(`averages of ${spans.length} positions over ${slots} prices: ${Math.round(took)} ms`);
  });
});
