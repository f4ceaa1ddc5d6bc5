// The integer ports against v3-core's published vectors, against @uniswap/v3-sdk, and against laws they must keep.
import { createRequire } from "node:module";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Q96 } from "../../core/math/fixed-point.ts";
import { MulDivError, mulDiv, mulDivRoundingUp } from "../../core/math/full-math.ts";
import {
  getAmount0DeltaRoundingDown,
  getAmount0DeltaRoundingUp,
  getAmount1DeltaRoundingDown,
  getAmount1DeltaRoundingUp,
  getNextSqrtPriceFromInput,
  getNextSqrtPriceFromOutput,
  PriceMoveError,
} from "../../core/math/sqrt-price-math.ts";
import { computeSwapStep } from "../../core/math/swap-math.ts";
import { getFeeGrowthInside } from "../../core/math/tick.ts";
import { nextInitializedTickWithinOneWord } from "../../core/math/tick-bitmap.ts";
import {
  getSqrtRatioAtTick,
  getTickAtSqrtRatio,
  MAX_SQRT_RATIO,
  MAX_TICK,
  MIN_SQRT_RATIO,
  MIN_TICK,
  SqrtRatioOutOfBoundsError,
  TickOutOfBoundsError,
} from "../../core/math/tick-math.ts";

const E18 = 10n ** 18n;
const MAX_UINT256 = (1n << 256n) - 1n;
const echidnaPrice = 20282409603651670423947251286016n;

/** √(101/100), √10, √100 and √(121/100) as Q64.96, rounded down. */
const price = { p101: 79623317895830914510639640423n, p1000: 250541448375047931186413801569n, p121: (Q96 * 11n) / 10n };

describe("v3-core's published vectors", () => {
  it.each([
    [MIN_TICK, 4295128739n],
    [MIN_TICK + 1, 4295343490n],
    [0, Q96],
    [MAX_TICK - 1, 1461373636630004318706518188784493106690254656249n],
    [MAX_TICK, 1461446703485210103287273052203988822378723970342n],
  ])("TickMath: tick %i", (tick, ratio) => {
    expect(getSqrtRatioAtTick(tick)).toBe(ratio);
    if (tick < MAX_TICK) expect(getTickAtSqrtRatio(ratio)).toBe(tick);
  });

  it("TickMath: out of bounds", () => {
    expect(getTickAtSqrtRatio(MAX_SQRT_RATIO - 1n)).toBe(MAX_TICK - 1);
    expect(() => getSqrtRatioAtTick(MIN_TICK - 1)).toThrow(TickOutOfBoundsError);
    expect(() => getSqrtRatioAtTick(MAX_TICK + 1)).toThrow(TickOutOfBoundsError);
    expect(() => getTickAtSqrtRatio(MIN_SQRT_RATIO - 1n)).toThrow(SqrtRatioOutOfBoundsError);
    expect(() => getTickAtSqrtRatio(MAX_SQRT_RATIO)).toThrow(SqrtRatioOutOfBoundsError);
  });

  it.each([
    [
      "capped at the target, in",
      [Q96, price.p101, 2n * E18, E18, 600n],
      [price.p101, 9975124224178055n, 9925619580021728n, 5988667735148n],
    ],
    [
      "capped at the target, out",
      [Q96, price.p101, 2n * E18, -E18, 600n],
      [price.p101, 9975124224178055n, 9925619580021728n, 5988667735148n],
    ],
    [
      "fully spent",
      [Q96, price.p1000, 2n * E18, E18, 600n],
      [undefined, 999400000000000000n, 666399946655997866n, 600000000000000n],
    ],
    [
      "fully received",
      [Q96, 10n * Q96, 2n * E18, -E18, 600n],
      [undefined, 2000000000000000000n, E18, 1200720432259356n],
    ],
    [
      "output capped",
      [417332158212080721273783715441582n, 1452870262520218020823638996n, 159344665391607089467575320103n, -1n, 1n],
      [417332158212080721273783715441581n, 1n, 1n, 1n],
    ],
    [
      "target price of 1",
      [2n, 1n, 1n, 3915081100057732413702495386755767n, 1n],
      [1n, 39614081257132168796771975168n, 0n, 39614120871253040049813n],
    ],
    [
      "all input taken as fee",
      [2413n, 79887613182836312n, 1985041575832132834610021537970n, 10n, 1872n],
      [2413n, 0n, 0n, 10n],
    ],
    [
      "too little liquidity, up",
      [echidnaPrice, (echidnaPrice * 11n) / 10n, 1024n, -4n, 3000n],
      [(echidnaPrice * 11n) / 10n, 26215n, 0n, 79n],
    ],
    [
      "too little liquidity, down",
      [echidnaPrice, (echidnaPrice * 9n) / 10n, 1024n, -263000n, 3000n],
      [(echidnaPrice * 9n) / 10n, 1n, 26214n, 1n],
    ],
  ] as const)("SwapMath: %s", (_, args, [next, amountIn, amountOut, feeAmount]) => {
    const step = computeSwapStep(...(args as [bigint, bigint, bigint, bigint, bigint]));
    expect(step).toEqual({ sqrtRatioNextX96: next ?? step.sqrtRatioNextX96, amountIn, amountOut, feeAmount });
  });

  it("SqrtPriceMath: prices after amounts", () => {
    expect(getNextSqrtPriceFromInput(Q96, E18, E18 / 10n, false)).toBe(87150978765690771352898345369n);
    expect(getNextSqrtPriceFromInput(Q96, E18, E18 / 10n, true)).toBe(72025602285694852357767227579n);
    expect(getNextSqrtPriceFromInput(Q96, 10n * E18, 1n << 100n, true)).toBe(624999999995069620n);
    expect(getNextSqrtPriceFromInput(Q96, 1n, MAX_UINT256 / 2n, true)).toBe(1n);
    expect(getNextSqrtPriceFromInput(1n, 1n, 1n << 255n, true)).toBe(1n);
    expect(getNextSqrtPriceFromOutput(Q96, E18, E18 / 10n, false)).toBe(88031291682515930659493278152n);
    expect(getNextSqrtPriceFromOutput(Q96, E18, E18 / 10n, true)).toBe(71305346262837903834189555302n);
    const overflowing = 1025574284609383690408304870162715216695788925244n;
    const liquidity = 50015962439936049619261659728067971248n;
    const next = getNextSqrtPriceFromInput(overflowing, liquidity, 406n, true);
    expect(next).toBe(1025574284609383582644711336373707553698163132913n);
    expect(getAmount0DeltaRoundingUp(overflowing, next, liquidity)).toBe(406n);
  });

  it.each([
    ["no price", () => getNextSqrtPriceFromInput(0n, 1n, 1n, false)],
    ["no liquidity", () => getNextSqrtPriceFromInput(1n, 0n, 1n, true)],
    ["price overflows", () => getNextSqrtPriceFromInput((1n << 160n) - 1n, 1024n, 1024n, false)],
    ["all of token0", () => getNextSqrtPriceFromOutput(echidnaPrice, 1024n, 4n, false)],
    ["all of token1", () => getNextSqrtPriceFromOutput(echidnaPrice, 1024n, 262144n, true)],
    ["impossible", () => getNextSqrtPriceFromOutput(Q96, 1n, MAX_UINT256, false)],
  ])("SqrtPriceMath refuses: %s", (_, act) => {
    expect(act).toThrow(PriceMoveError);
  });

  it("SqrtPriceMath: amounts between prices", () => {
    expect(getAmount0DeltaRoundingUp(price.p121, Q96, E18)).toBe(90909090909090910n);
    expect(getAmount0DeltaRoundingDown(price.p121, Q96, E18)).toBe(90909090909090909n);
    expect(getAmount1DeltaRoundingUp(Q96, price.p121, E18)).toBe(100000000000000000n);
    expect(getAmount1DeltaRoundingDown(Q96, price.p121, E18)).toBe(99999999999999999n);
  });

  const growths = [
    ["inside", 0, [0n, 0n], [0n, 0n], [15n, 15n]],
    ["above", 4, [0n, 0n], [0n, 0n], [0n, 0n]],
    ["below", -4, [0n, 0n], [0n, 0n], [0n, 0n]],
    ["less the upper tick's", 0, [0n, 0n], [2n, 3n], [13n, 12n]],
    ["less the lower tick's", 0, [2n, 3n], [0n, 0n], [13n, 12n]],
    ["less both", 0, [2n, 3n], [4n, 1n], [9n, 11n]],
    ["wrapping", 0, [MAX_UINT256 - 3n, MAX_UINT256 - 2n], [3n, 5n], [16n, 13n]],
  ] as const;
  it.each(growths.map((growth) => [growth[0], growth] as const))("Tick: fee growth %s", (_, growth) => {
    const [, tick, lower, upper, [feeGrowth0X128, feeGrowth1X128]] = growth;
    const at = (place: number, [feeGrowthOutside0X128, feeGrowthOutside1X128]: readonly [bigint, bigint]) => ({
      tick: place,
      feeGrowthOutside0X128,
      feeGrowthOutside1X128,
    });
    const pool = { tick, feeGrowthGlobal0X128: 15n, feeGrowthGlobal1X128: 15n };
    expect(getFeeGrowthInside(at(-2, lower), at(2, upper), pool)).toEqual({ feeGrowth0X128, feeGrowth1X128 });
  });

  const searches = [
    [78, false, 84, true],
    [77, false, 78, true],
    [255, false, 511, false],
    [508, false, 511, false],
    [383, false, 511, false],
    [78, true, 78, true],
    [79, true, 78, true],
    [258, true, 256, false],
    [256, true, 256, false],
    [72, true, 70, true],
    [-1, true, -256, false],
    [1023, true, 768, false],
    [900, true, 768, false],
  ] as const;
  it.each(searches.map((search) => [search.join(", "), search] as const))("TickBitmap: %s", (_, search) => {
    const [tick, lte, next, initialized] = search;
    const ticks = [70, 78, 84, 139, 240, 535];
    const found = nextInitializedTickWithinOneWord(ticks, { tick, tickSpacing: 1, lte });
    expect(found).toEqual({ next, initialized });
  });
});

describe("@uniswap/v3-sdk gives the same", () => {
  const require = createRequire(import.meta.url);
  const sdk = require("@uniswap/v3-sdk");
  const JSBI = createRequire(require.resolve("@uniswap/v3-sdk"))("jsbi");
  const theirs = (value: bigint) => JSBI.BigInt(value.toString());
  const back = (value: { toString(): string }) => BigInt(value.toString());
  const tick = fc.integer({ min: MIN_TICK, max: MAX_TICK });
  const ratio = tick.map(getSqrtRatioAtTick);
  const liquidity = fc.bigInt({ min: 1n, max: (1n << 128n) - 1n });

  it("prices of ticks and ticks of prices", () => {
    fc.assert(
      fc.property(tick, (at) => {
        expect(getSqrtRatioAtTick(at)).toBe(back(sdk.TickMath.getSqrtRatioAtTick(at)));
      }),
    );
    fc.assert(
      fc.property(fc.bigInt({ min: MIN_SQRT_RATIO, max: MAX_SQRT_RATIO - 1n }), (at) => {
        expect(getTickAtSqrtRatio(at)).toBe(sdk.TickMath.getTickAtSqrtRatio(theirs(at)));
      }),
    );
  });

  it("amounts between prices", () => {
    fc.assert(
      fc.property(ratio, ratio, liquidity, (a, b, l) => {
        const delta = (token: 0 | 1, up: boolean) =>
          back(sdk.SqrtPriceMath[`getAmount${token}Delta`](theirs(a), theirs(b), theirs(l), up));
        expect(getAmount0DeltaRoundingUp(a, b, l)).toBe(delta(0, true));
        expect(getAmount0DeltaRoundingDown(a, b, l)).toBe(delta(0, false));
        expect(getAmount1DeltaRoundingUp(a, b, l)).toBe(delta(1, true));
        expect(getAmount1DeltaRoundingDown(a, b, l)).toBe(delta(1, false));
      }),
    );
  });

  it("steps of an exact input", () => {
    const amount = fc.bigInt({ min: 1n, max: 1n << 200n });
    const step = fc.tuple(ratio, ratio, liquidity, amount, fc.constantFrom(100n, 500n, 3000n, 10_000n));
    fc.assert(
      fc.property(step, (args) => {
        const [next, amountIn, amountOut, feeAmount] = sdk.SwapMath.computeSwapStep(...args.map(theirs)).map(back);
        expect(computeSwapStep(...args)).toEqual({ sqrtRatioNextX96: next, amountIn, amountOut, feeAmount });
      }),
    );
  });
});

describe("laws", () => {
  const uint256 = fc.bigInt({ min: 0n, max: MAX_UINT256 });

  it("mulDiv and mulDivRoundingUp differ by the remainder alone, and refuse what does not fit", () => {
    fc.assert(
      fc.property(uint256, uint256, uint256, (a, b, d) => {
        if (d === 0n || (a * b) / d > MAX_UINT256) {
          expect(() => mulDiv(a, b, d)).toThrow(MulDivError);
          return;
        }
        const down = mulDiv(a, b, d);
        expect(down * d <= a * b && (down + 1n) * d > a * b).toBe(true);
        if (down < MAX_UINT256) expect(mulDivRoundingUp(a, b, d) - down).toBe((a * b) % d === 0n ? 0n : 1n);
      }),
    );
  });

  it("a tick is the greatest whose price is not above", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: MIN_SQRT_RATIO, max: MAX_SQRT_RATIO - 1n }), (at) => {
        const tick = getTickAtSqrtRatio(at);
        expect(getSqrtRatioAtTick(tick) <= at && at < getSqrtRatioAtTick(tick + 1)).toBe(true);
      }),
    );
  });
});
