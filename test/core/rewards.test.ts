// Giving a budget out: every rule alone, and the laws that hold for any points, beside exact fractions.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AveragePart, type Counted, countParts, type SourceRule } from "../../core/rewards/count-parts.ts";
import { multiplierOf } from "../../core/rewards/multiplier.ts";
import { type SharedOut, type SharingRules, shareOut } from "../../core/rewards/share-out.ts";
import { accountOf } from "../support/reference-ledger.ts";

const plain = { excluded: new Set<string>(), minimum: 0n, most: undefined, treasury: undefined };
const counted = (points: readonly bigint[]): Counted[] =>
  points.map((one, i) => ({ account: accountOf(i + 1), average: one, points: one }));
const amounts = (points: readonly bigint[], rules: Partial<SharingRules> & { budget: bigint }) => {
  const { rewards, left } = shareOut(counted(points), { ...plain, ...rules });
  return { given: Object.fromEntries(rewards.map(({ account, amount }) => [Number(account.slice(-4)), amount])), left };
};
const sum = (all: readonly bigint[]) => all.reduce((total, one) => total + one, 0n);

/** Nobody passes the most, all are at it where something is left, and without one each is within a unit of its exact share. */
function requireFair({ rewards, left }: SharedOut, { budget, most = budget, treasury }: SharingRules): void {
  const own = rewards.filter(({ account }) => account !== treasury);
  const below = own.filter(({ amount }) => amount < most);
  expect(own.filter(({ amount }) => amount > most)).toEqual([]);
  if (left > 0n && own.length > 0) expect(below).toEqual([]);
  if (most < budget) return;
  const all = sum(own.map(({ points }) => points));
  const allowed = treasury === undefined ? [0n, 1n] : [0n];
  for (const { points, amount } of own) expect(allowed).toContain(amount - (points * budget) / all);
}

function requireOrdered({ rewards }: SharedOut): void {
  const inOrder = [...rewards].sort((a, b) =>
    a.amount === b.amount ? (a.account < b.account ? -1 : 1) : Number(b.amount - a.amount > 0n) * 2 - 1,
  );
  expect(rewards).toEqual(inOrder);
}

describe("A budget", () => {
  it("is given out by points, and what rounding leaves goes to the largest fractions", () => {
    expect(amounts([1n, 1n, 1n], { budget: 100n })).toEqual({ given: { 1: 34n, 2: 33n, 3: 33n }, left: 0n });
    expect(amounts([50n, 30n, 21n], { budget: 10n })).toEqual({ given: { 1: 5n, 2: 3n, 3: 2n }, left: 0n });
  });

  it("leaves what rounding left to a treasury, which may hold itself", () => {
    const treasury = accountOf(2);
    expect(amounts([1n, 1n, 1n], { budget: 101n, treasury })).toEqual({ given: { 1: 33n, 2: 35n, 3: 33n }, left: 0n });
    expect(amounts([1n], { budget: 9n, treasury: accountOf(7), most: 4n })).toEqual({
      given: { 1: 4n, 7: 5n },
      left: 0n,
    });
  });

  it("gives nobody more than the most, again where others reach it by what is freed", () => {
    // 60 % and then 30 of 40 points of what is left are above 40
    expect(amounts([60n, 30n, 10n], { budget: 100n, most: 40n })).toEqual({
      given: { 1: 40n, 2: 40n, 3: 20n },
      left: 0n,
    });
    expect(amounts([60n, 30n], { budget: 100n, most: 40n })).toEqual({ given: { 1: 40n, 2: 40n }, left: 20n });
  });

  it("passes over accounts that are excluded, below the minimum or without points", () => {
    const rules = { budget: 90n, minimum: 10n, excluded: new Set([accountOf(1)]) };
    expect(amounts([1000n, 9n, 10n, 20n, 0n], rules)).toEqual({ given: { 3: 30n, 4: 60n }, left: 0n });
  });

  it("stays where it is when nobody qualifies", () => {
    expect(shareOut(counted([5n]), { ...plain, budget: 7n, minimum: 6n })).toMatchObject({
      ...{ rewards: [], qualified: 0, left: 7n },
    });
  });

  it("always adds up, never passes the most, and stays within one unit of the exact share", () => {
    const amount = fc.bigInt({ min: 0n, max: 10n ** 30n });
    const small = fc.bigInt({ min: 0n, max: 5n });
    fc.assert(
      fc.property(
        fc.array(fc.oneof(amount, small), { minLength: 1, maxLength: 60 }),
        fc.oneof(fc.bigInt({ min: 1n, max: 10n ** 27n }), fc.bigInt({ min: 1n, max: 200n })),
        fc.record({
          basisPoints: fc.option(fc.integer({ min: 1, max: 10_000 }), { nil: undefined }),
          hasTreasury: fc.boolean(),
        }),
        (points, budget, { basisPoints, hasTreasury }) => {
          const most = basisPoints === undefined ? undefined : (budget * BigInt(basisPoints)) / 10_000n;
          const treasury = hasTreasury ? accountOf(9_999) : undefined;
          const rules = { ...plain, budget, most, treasury };
          const shared = shareOut(counted(points), rules);
          expect(sum(shared.rewards.map((one) => one.amount)) + shared.left).toBe(budget);
          expect(shared.qualified).toBe(points.filter((one) => one > 0n).length);
          requireFair(shared, rules);
          // the same whatever the order they come in
          expect(shareOut(counted(points).reverse(), rules).rewards).toEqual(shared.rewards);
          requireOrdered(shared);
        },
      ),
      { numRuns: 400 },
    );
  });

  it("never gives more to an account with fewer points", () => {
    fc.assert(
      fc.property(
        fc.array(fc.bigInt({ min: 1n, max: 1_000n }), { minLength: 2, maxLength: 30 }),
        fc.bigInt({ min: 1n, max: 100_000n }),
        fc.bigInt({ min: 1n, max: 100_000n }),
        (points, budget, most) => {
          const { rewards } = shareOut(counted(points), { ...plain, budget, most });
          for (const a of rewards)
            for (const b of rewards) if (a.points > b.points) expect(a.amount + 1n > b.amount).toBe(true);
        },
      ),
      { numRuns: 300 },
    );
  });
});

const part = (kind: string, contract: string, amount: bigint): AveragePart => ({ heldAs: { kind, contract }, amount });
const rule = (kind: string, multiplier: string, contract?: string): SourceRule => ({
  ...{ kind, contract, multiplier: multiplierOf(multiplier) },
});

describe("What counts", () => {
  const holdings = new Map([
    ["a", [part("balance", "t", 100n), part("island", "i", 10n), part("island", "j", 1n)]],
    ["b", [part("farm", "f", 7n)]],
  ]);

  it("is everything once, or what is named and as often as it says, a contract before its kind", () => {
    expect(countParts(holdings, { held: "anywhere" })).toEqual({
      accounts: [
        { account: "a", average: 111n, points: 111n },
        { account: "b", average: 7n, points: 7n },
      ],
      decimals: 0,
    });
    const rules = [rule("balance", "1"), rule("island", "2.5"), rule("island", "0.125", "j")];
    expect(countParts(holdings, { rules })).toEqual({
      accounts: [{ account: "a", average: 111n, points: 125_125n }],
      decimals: 3,
    });
  });

  it("is nothing of a contract with the multiplier 0, which is left out of the average too", () => {
    const rules = [rule("island", "1"), rule("island", "0", "i")];
    expect(countParts(holdings, { rules }).accounts).toEqual([{ account: "a", average: 1n, points: 1n }]);
  });
});
