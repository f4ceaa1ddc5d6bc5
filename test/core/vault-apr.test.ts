// Numbers worked out by hand.
import { describe, expect, it } from "vitest";
import { sumIfComplete } from "../../core/amounts.ts";
import {
  baseApr,
  DAY,
  farmApr,
  growthApy,
  isPaying,
  PERCENT_DECIMALS,
  rewardVaultApr,
  WEEK,
} from "../../core/vaults/apr.ts";
import { islandFeesAccrued, pairFeesAccrued } from "../../core/vaults/lp-fees.ts";

const percent = (value: bigint | undefined) =>
  value === undefined ? undefined : Number(`${value}e-${PERCENT_DECIMALS}`);

describe("yearly percent", () => {
  it("of fees: a week's, or a younger pool's life, but a day at least", () => {
    const usd = 70n * 10n ** 36n;
    const tvl = 36_500n * 10n ** 36n;
    // 10 a day on 36,500: 3,650 a year
    expect(percent(baseApr({ usd, age: 90 * DAY }, tvl))).toBe(10);
    expect(percent(baseApr({ usd, age: WEEK }, tvl))).toBe(10);
    expect(percent(baseApr({ usd, age: DAY }, tvl))).toBe(70);
    expect(percent(baseApr({ usd, age: 2 * DAY }, tvl))).toBe(35);
    expect(percent(baseApr({ usd, age: 60 }, tvl))).toBe(70);
  });

  it("of emissions and of rates", () => {
    expect(percent(rewardVaultApr(7n, 3_650n))).toBe(10);
    expect(percent(farmApr(365n, 3_650n))).toBe(10);
  });

  it("is nothing where nothing is paid, and unknown where something is paid on nothing", () => {
    expect(baseApr({ usd: 0n, age: WEEK }, 0n)).toBe(0n);
    expect(baseApr({ usd: 1n, age: WEEK }, 0n)).toBeUndefined();
    expect(farmApr(0n, 0n)).toBe(0n);
    expect(rewardVaultApr(1n, 0n)).toBeUndefined();
  });

  it("rounds down, once", () => {
    // 100 × 1 × 365/7 ÷ 3 = 1738.0952380952…
    expect(rewardVaultApr(1n, 3n)).toBe((36_500n * 10n ** 36n) / 21n);
  });
});

describe("a farm's period", () => {
  it("ends before its last second", () => {
    expect(isPaying({ periodFinish: 100n }, 99)).toBe(true);
    expect(isPaying({ periodFinish: 100n }, 100)).toBe(false);
    expect(isPaying({ periodFinish: 0n }, 0)).toBe(false);
  });
});

describe("a sum", () => {
  it("is known when all of it is", () => {
    expect(sumIfComplete([1n, 2n])).toBe(3n);
    expect(sumIfComplete([1n, undefined])).toBeUndefined();
    expect(sumIfComplete([])).toBe(0n);
  });
});

describe("a share's growth", () => {
  it("is compounded to a year", () => {
    const before = { assets: 1_000n, supply: 1_000n };
    const apy = growthApy({ before, now: { assets: 2_020n, supply: 2_000n } });
    expect(apy).toBeCloseTo(100 * (1.01 ** (365 / 7) - 1), 9);
    expect(growthApy({ before, now: before })).toBe(0);
    expect(growthApy({ before: { assets: 0n, supply: 0n }, now: before })).toBeUndefined();
    expect(growthApy({ before, now: { assets: 10n ** 30n, supply: 1n } })).toBeUndefined();
  });
});

describe("an island's fees", () => {
  it("are what grew, less the manager's part of it, while nothing is collected", () => {
    const fees = { pendingBefore: 400n, pendingNow: 1_400n, collected: undefined, managerFeeBps: 1_000 };
    expect(islandFeesAccrued(fees)).toBe(900n);
  });

  it("leave out what was pending before from what was collected with it", () => {
    // 400 pending, 600 more until the first collection of 1,000 (10 % off), a second one of 500, then 100 pending at 20 %
    const collected = { firstGross: 1_000n, firstNet: 900n, collectedNet: 900n + 450n };
    const fees = { pendingBefore: 400n, collected, pendingNow: 100n, managerFeeBps: 2_000 };
    expect(islandFeesAccrued(fees)).toBe(540n + 450n + 80n);
  });

  it("are nothing where the manager takes all", () => {
    const all = { managerFeeBps: 10_000, pendingBefore: 0n, pendingNow: 7n };
    expect(islandFeesAccrued({ ...all, collected: undefined })).toBe(0n);
    expect(islandFeesAccrued({ ...all, collected: { firstGross: 50n, firstNet: 0n, collectedNet: 0n } })).toBe(0n);
  });

  it("are nothing on a side that earned none", () => {
    const collected = { firstGross: 0n, firstNet: 0n, collectedNet: 0n };
    expect(islandFeesAccrued({ pendingBefore: 0n, pendingNow: 0n, collected, managerFeeBps: 500 })).toBe(0n);
  });
});

describe("a pair's fees", () => {
  it("are 0.3 %, or five sixths of it", () => {
    expect(pairFeesAccrued({ free: 1_000_000n, charged: 0n }, 3_000)).toBe(3_000n);
    expect(pairFeesAccrued({ free: 0n, charged: 1_000_000n }, 3_000)).toBe(2_500n);
    expect(pairFeesAccrued({ free: 1_000n, charged: 1_000n }, 3_000)).toBe(5n);
    // 2.5 and 2.99 together are 5.49
    expect(pairFeesAccrued({ free: 999n, charged: 1_000n }, 3_000)).toBe(5n);
  });
});
