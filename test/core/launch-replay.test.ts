// Where launch curves stand, from facts written down by hand in the order in which contracts log them.
import { describe, expect, it } from "vitest";
import { curvePrice, raisedPart, totalRaiseRoundingUp } from "../../core/launch/curve.ts";
import type { LaunchFact } from "../../core/launch/facts.ts";
import { emptyWorld, pairOf, replay } from "../../core/launch/replay.ts";

const POOL = "0x00000000000000000000000000000000000000a1";
const TOKEN = "0x00000000000000000000000000000000000000a2";
const BASE = "0x00000000000000000000000000000000000000b1";
const PAIR = "0x00000000000000000000000000000000000000c1";

const at = (block: number, logIndex: number) => ({ block, logIndex, timestamp: 1_000 + block });
const sync = (place: readonly [number, number], [tokenReserve, baseReserve, sqrtPrice]: [bigint, bigint, bigint]) =>
  ({ ...at(...place), kind: "sync", pool: POOL, tokenReserve, baseReserve, sqrtPrice }) satisfies LaunchFact;
const swap = (place: readonly [number, number], base: bigint) =>
  ({ ...at(...place), kind: "swap", pool: POOL, base }) satisfies LaunchFact;
const initialized = {
  ...at(10, 2),
  ...{ kind: "initialized", pool: POOL, token: TOKEN, baseToken: BASE, deployer: BASE, sqrtPa: 100n, sqrtPb: 300n },
} satisfies LaunchFact;

const born: LaunchFact[] = [sync([10, 1], [900n, 0n, 100n]), initialized];
const traded: LaunchFact[] = [
  swap([11, 0], 40n),
  sync([11, 1], [700n, 40n, 150n]),
  swap([11, 5], 10n),
  sync([11, 6], [650n, 50n, 160n]),
  swap([13, 0], 5n),
  sync([13, 1], [680n, 45n, 155n]),
];
/** The buy that sells out, the pair, the end, and what the contract says once its reserves are gone. */
const ended: LaunchFact[] = [
  swap([20, 0], 100n),
  sync([20, 1], [1n, 145n, 299n]),
  { ...at(20, 2), kind: "pair", pair: PAIR, token0: TOKEN, token1: BASE },
  { ...at(20, 7), kind: "graduated", pool: POOL },
  sync([20, 8], [0n, 0n, 299n]),
];

const only = (facts: readonly LaunchFact[]) => {
  const [curve] = replay(emptyWorld, facts).curves.values();
  return curve;
};

describe("a launch curve", () => {
  it("begins with the Sync that comes before its PoolInitialized", () => {
    expect(replay(emptyWorld, born.slice(0, 1)).curves.size).toBe(0);
    expect(only(born)).toMatchObject({
      ...{ pool: POOL, token: TOKEN, baseToken: BASE, created: at(10, 2), tokensInPool: 900n },
      ...{ tokenReserve: 900n, baseReserve: 0n, sqrtPrice: 100n, swapsCount: 0, trades: [], graduated: undefined },
    });
  });

  it("moves with each Sync, and adds up what is traded in a block", () => {
    expect(only([...born, ...traded])).toMatchObject({
      ...{ tokensInPool: 900n, tokenReserve: 680n, baseReserve: 45n, sqrtPrice: 155n, swapsCount: 3 },
      trades: [
        { block: 11, timestamp: 1_011, base: 50n },
        { block: 13, timestamp: 1_013, base: 5n },
      ],
    });
  });

  it("ends in the block of its last buy, as that left it", () => {
    const world = replay(emptyWorld, [...born, ...traded, ...ended]);
    const curve = world.curves.get(POOL)!;
    expect(curve).toMatchObject({ graduated: at(20, 7), tokenReserve: 1n, baseReserve: 145n, sqrtPrice: 299n });
    expect([curve.swapsCount, curve.trades.at(-1)]).toEqual([4, { block: 20, timestamp: 1_020, base: 100n }]);
    expect(pairOf(world, curve)).toBe(PAIR);
  });

  it("finds a pair that is older than its end, and of either order", () => {
    const pair: LaunchFact = { ...at(5, 0), kind: "pair", pair: PAIR, token0: BASE, token1: TOKEN };
    const world = replay(emptyWorld, [pair, ...born]);
    expect(pairOf(world, world.curves.get(POOL)!)).toBe(PAIR);
  });

  it("is the same however the facts are cut, and leaves what was before as it was", () => {
    const facts = [...born, ...traded, ...ended];
    const whole = replay(emptyWorld, facts);
    for (let cut = 0; cut <= facts.length; cut++) {
      const before = replay(emptyWorld, facts.slice(0, cut));
      const copy = structuredClone(before);
      expect(replay(before, facts.slice(cut))).toEqual(whole);
      expect(before).toEqual(copy);
    }
  });
});

describe("the numbers of a launch curve:", () => {
  it("its price and raise are those of PandaMath", () => {
    expect(curvePrice(3n * 10n ** 14n)).toEqual({ numerator: 9n * 10n ** 28n, denominator: 10n ** 36n });
    expect(totalRaiseRoundingUp({ tokensInPool: 10n ** 27n, sqrtPa: 10n ** 14n, sqrtPb: 3n * 10n ** 14n })).toBe(
      3n * 10n ** 19n,
    );
    expect(totalRaiseRoundingUp({ tokensInPool: 1n, sqrtPa: 1n, sqrtPb: 1n })).toBe(1n);
  });

  it("its progress is a part of the raise, whole once it is reached or the curve has graduated", () => {
    const part = (raised: bigint, isGraduated = false) => raisedPart({ raised, totalRaise: 200n, isGraduated });
    expect(part(50n)).toEqual({ numerator: 50n, denominator: 200n });
    const whole = { numerator: 1n, denominator: 1n };
    expect([part(201n), part(199n, true), part(0n, true)]).toEqual([whole, whole, whole]);
  });

  it("it has raised nothing while it has announced no range", () => {
    const nothing = { numerator: 0n, denominator: 1n };
    expect(raisedPart({ raised: 0n, totalRaise: 0n, isGraduated: false })).toEqual(nothing);
    expect(raisedPart({ raised: 0n, totalRaise: 200n, isGraduated: false })).toEqual(nothing);
  });
});
