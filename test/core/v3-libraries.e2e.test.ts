// The integer ports against Uniswap's own Solidity, compiled and run on a chain: thousands of inputs per function, most
// of them at edges, refusals included.
import { type AbiFunction, decodeFunctionResult, encodeDeployData, encodeFunctionData, type Hex } from "viem";
import { describe, expect, it } from "vitest";
import { mulDiv, mulDivRoundingUp } from "../../core/math/full-math.ts";
import { getAmountsForLiquidity } from "../../core/math/liquidity-amounts.ts";
import { addDelta } from "../../core/math/liquidity-math.ts";
import { MathError } from "../../core/math/math-error.ts";
import * as sqrtPriceMath from "../../core/math/sqrt-price-math.ts";
import { computeSwapStep } from "../../core/math/swap-math.ts";
import { feesEarnedRoundingDown, getFeeGrowthInside } from "../../core/math/tick.ts";
import { nextInitializedTickWithinOneWord } from "../../core/math/tick-bitmap.ts";
import { getSqrtRatioAtTick, getTickAtSqrtRatio, MAX_TICK, MIN_TICK } from "../../core/math/tick-math.ts";
import type { DevChain } from "../../devnet/chain.ts";
import { compileSolidity } from "../../devnet/compile/solidity.ts";
import { withAnvil } from "../../devnet/fuzz/anvil-world.ts";
import { type Random, seedRandom } from "../../devnet/scenario/random.ts";
import { freePort } from "../../machine/ports.ts";

interface Case {
  call: string;
  args: readonly unknown[];
  /** Our own answer, flat. */
  ours: () => readonly (bigint | number | boolean)[];
}

const random = seedRandom("v3-libraries");
const settings = { evmVersion: "istanbul", optimizerRuns: 200 };
const library = compileSolidity({
  compiler: "solc-0.7.6",
  files: ["../../test/core/v3-libraries.sol"],
  settings,
}).get("V3Libraries")!;

/** Unsigned, of a random width: small ones, powers of two and their neighbours, and full-width ones. */
function uint(bits: number): bigint {
  const width = BigInt(random.between(0, bits));
  const top = (1n << BigInt(bits)) - 1n;
  const value = random.chance(0.3) ? (1n << width) + BigInt(random.between(-1, 1)) : digits(random, width);
  return value < 0n ? 0n : value > top ? top : value;
}

function digits(from: Random, width: bigint): bigint {
  let value = 0n;
  for (let index = 0; index < 8; index += 1) value = (value << 32n) | BigInt(from.between(0, 0xffffffff));
  return value >> (256n - width);
}

const tick = (): number => random.pick([random.between(MIN_TICK, MAX_TICK), random.between(-5000, 5000)]);
const anyTick = (): number => random.pick([tick(), MIN_TICK, MAX_TICK, MIN_TICK - 1, MAX_TICK + 1, 8_388_607]);
/** A price near a tick's own, or any number of 160 bits. */
const price = (): bigint =>
  random.chance(0.7) ? getSqrtRatioAtTick(tick()) + BigInt(random.between(-2, 2)) : uint(160);

const cases: Record<string, () => Case> = {
  mulDiv() {
    const args = [uint(256), uint(256), uint(256)] as const;
    return { call: "mulDiv", args, ours: () => [mulDiv(...args)] };
  },
  mulDivRoundingUp() {
    const args = [uint(256), uint(256), uint(256)] as const;
    return { call: "mulDivRoundingUp", args, ours: () => [mulDivRoundingUp(...args)] };
  },
  getSqrtRatioAtTick() {
    const args = [anyTick()] as const;
    return { call: "getSqrtRatioAtTick", args, ours: () => [getSqrtRatioAtTick(...args)] };
  },
  getTickAtSqrtRatio() {
    const args = [price()] as const;
    return { call: "getTickAtSqrtRatio", args, ours: () => [getTickAtSqrtRatio(...args)] };
  },
  addDelta() {
    const args = [uint(128), random.chance(0.5) ? uint(127) : -uint(127)] as const;
    return { call: "addDelta", args, ours: () => [addDelta(...args)] };
  },
  getAmount0Delta() {
    const roundUp = random.chance(0.5);
    const args = [price(), price(), uint(128)] as const;
    const ours = roundUp ? sqrtPriceMath.getAmount0DeltaRoundingUp : sqrtPriceMath.getAmount0DeltaRoundingDown;
    return { call: "getAmount0Delta", args: [...args, roundUp], ours: () => [ours(...args)] };
  },
  getAmount1Delta() {
    const roundUp = random.chance(0.5);
    const args = [price(), price(), uint(128)] as const;
    const ours = roundUp ? sqrtPriceMath.getAmount1DeltaRoundingUp : sqrtPriceMath.getAmount1DeltaRoundingDown;
    return { call: "getAmount1Delta", args: [...args, roundUp], ours: () => [ours(...args)] };
  },
  getNextSqrtPriceFromInput() {
    const args = [price(), uint(128), uint(256), random.chance(0.5)] as const;
    const ours = () => [sqrtPriceMath.getNextSqrtPriceFromInput(...args)];
    return { call: "getNextSqrtPriceFromInput", args, ours };
  },
  getNextSqrtPriceFromOutput() {
    const args = [price(), uint(128), uint(random.pick([40, 128, 256])), random.chance(0.5)] as const;
    const ours = () => [sqrtPriceMath.getNextSqrtPriceFromOutput(...args)];
    return { call: "getNextSqrtPriceFromOutput", args, ours };
  },
  computeSwapStep() {
    const amount = uint(random.pick([20, 100, 255]));
    const remaining = random.chance(0.5) ? amount : -amount;
    const fee = random.pick([100, 500, 3000, 10_000, 1, 0, 999_999]);
    const args = [price(), price(), uint(128), remaining] as const;
    const ours = () => {
      const { sqrtRatioNextX96, amountIn, amountOut, feeAmount } = computeSwapStep(...args, BigInt(fee));
      return [sqrtRatioNextX96, amountIn, amountOut, feeAmount];
    };
    return { call: "computeSwapStep", args: [...args, fee], ours };
  },
  getAmountsForLiquidity() {
    const args = [price(), price(), price(), uint(128)] as const;
    const ours = () => Object.values(getAmountsForLiquidity(...args));
    return { call: "getAmountsForLiquidity", args, ours };
  },
  feesEarnedRoundingDown() {
    const args = [uint(256), uint(256), uint(128)] as const;
    return { call: "feesEarned", args, ours: () => [feesEarnedRoundingDown(...args)] };
  },
  getFeeGrowthInside() {
    const [lower, upper, current] = [random.between(-50, -1), random.between(1, 50), random.between(-60, 60)];
    const growth = Array.from({ length: 6 }, () => uint(256)) as [bigint, bigint, bigint, bigint, bigint, bigint];
    const outside = (at: number, place: 2 | 4) => ({
      tick: at,
      feeGrowthOutside0X128: growth[place],
      feeGrowthOutside1X128: growth[place === 2 ? 3 : 5],
    });
    const pool = { tick: current, feeGrowthGlobal0X128: growth[0], feeGrowthGlobal1X128: growth[1] };
    const ours = () => Object.values(getFeeGrowthInside(outside(lower, 2), outside(upper, 4), pool));
    return { call: "getFeeGrowthInside", args: [lower, upper, current, growth], ours };
  },
  nextInitializedTickWithinOneWord() {
    const tickSpacing = random.pick([1, 10, 60, 200, 7]);
    const [lowest, highest] = [Math.ceil(MIN_TICK / tickSpacing), Math.floor(MAX_TICK / tickSpacing)];
    const compressed = random.chance(0.2) ? random.pick([lowest, highest]) : random.between(-600, 600);
    const near = Array.from({ length: random.between(0, 6) }, () => compressed + random.between(-300, 300));
    const inRange = near.filter((place) => place >= lowest && place <= highest);
    const ticks = [...new Set(inRange)].sort((a, b) => a - b).map((place) => place * tickSpacing);
    const at = Math.max(MIN_TICK, Math.min(MAX_TICK, compressed * tickSpacing + random.between(0, tickSpacing - 1)));
    const lte = random.chance(0.5);
    const ours = () => {
      const { next, initialized } = nextInitializedTickWithinOneWord(ticks, { tick: at, tickSpacing, lte });
      return [next, initialized];
    };
    return { call: "nextInitializedTick", args: [ticks, at, tickSpacing, lte], ours };
  },
};

const PER_FUNCTION = 1500;

describe("integer ports equal Uniswap's Solidity", () => {
  it(`${Object.keys(cases).length} functions, ${PER_FUNCTION} inputs each`, async () => {
    const drawn = Object.values(cases).flatMap((draw) => Array.from({ length: PER_FUNCTION }, draw));
    const answers = await withAnvil(await freePort(), (chain) => askLibraries(chain, drawn));
    const differences = drawn.flatMap(({ call, args, ours }, index) => {
      const mine = answered(ours);
      return mine === answers[index] ? [] : [{ call, args: args.map(String), chain: answers[index], mine }];
    });
    expect(differences.slice(0, 5)).toEqual([]);
    const refused = answers.filter((answer) => answer === "refused").length;
    expect(refused).toBeGreaterThan(100);
    expect(refused).toBeLessThan(drawn.length / 2);
  });
});

function answered(ours: Case["ours"]): string {
  try {
    return ours().map(String).join(" ");
  } catch (error) {
    if (error instanceof MathError) return "refused";
    throw error;
  }
}

async function askLibraries(chain: DevChain, drawn: readonly Case[]): Promise<string[]> {
  const { abi, bytecode } = library;
  const address = await chain.create(chain.accounts[0]!, encodeDeployData({ abi, bytecode }));
  await chain.seal();
  const answers: string[] = [];
  for (let start = 0; start < drawn.length; start += 500) {
    const part = drawn.slice(start, start + 500);
    const calls = part.map(({ call, args }) => encodeFunctionData({ abi, functionName: call, args }));
    const data = encodeFunctionData({ abi, functionName: "batch", args: [calls] });
    const returned = await chain.rpc<Hex>("eth_call", [{ to: address, data, gas: "0x3b9aca00" }, "latest"]);
    const [oks, results] = decodeFunctionResult({ abi, functionName: "batch", data: returned }) as [boolean[], Hex[]];
    for (const [index, { call }] of part.entries()) {
      answers.push(oks[index] === true ? flat(call, results[index]!) : "refused");
    }
  }
  return answers;
}

function flat(call: string, data: Hex): string {
  const { abi } = library;
  const outputs = (abi.find((item) => item.type === "function" && item.name === call) as AbiFunction).outputs;
  const result = decodeFunctionResult({ abi, functionName: call, data });
  return (outputs.length === 1 ? [result] : (result as readonly unknown[])).map(String).join(" ");
}
