// Pools that anybody can add: dust, absurd prices, full reserves, tokens of a few units. A route never gets worse by one more pool.
import { describe, expect, it } from "vitest";
import { PathFinder } from "../../core/router/find-path.ts";
import { findRoute } from "../../core/router/find-route.ts";
import { Flow } from "../../core/router/flow.ts";
import { buildGraph } from "../../core/router/graph.ts";
import { layPieces } from "../../core/router/lay-pieces.ts";
import type { V2Pool } from "../../core/router/pool.ts";
import type { RouteRequest, TradeType } from "../../core/router/request.ts";
import type { Route } from "../../core/router/route.ts";
import { termsOf } from "../../core/router/search-terms.ts";
import { MAX_RESERVE } from "../../core/router/v2-fill.ts";
import { drawFrom } from "../support/random-pools.ts";

const E = 10n ** 18n;
const seed = Number(process.env.SEED ?? 20_261_129);
const gas = { quotePerUnit: { numerator: 1_000_000_007n, denominator: 1n } };

type Reserve = readonly [token: string, amount: bigint];

const pair = (address: string, [token0, reserve0]: Reserve, [token1, reserve1]: Reserve): V2Pool => ({
  ...{ kind: "v2", address, token0, token1, fee: 3_000, reserve0, reserve1 },
});

function routeOf(pools: readonly V2Pool[], amount: bigint, type: TradeType): Route | undefined {
  const request: RouteRequest = { tokenIn: "a", tokenOut: "b", amount, type, gas };
  return findRoute(buildGraph(pools), request);
}

/** By how much the answer with more pools is worse, as a part of the answer without them. */
function lossOf(
  honest: readonly V2Pool[],
  more: readonly V2Pool[],
  { amount, type }: { amount: bigint; type: TradeType },
) {
  const without = routeOf(honest, amount, type);
  if (without === undefined) throw new Error(`honest pools take no ${amount}`);
  const withMore = routeOf([...honest, ...more], amount, type);
  if (withMore === undefined) return Number.POSITIVE_INFINITY;
  const lost =
    type === "exactIn"
      ? without.quoteGasAdjusted - withMore.quoteGasAdjusted
      : withMore.quoteGasAdjusted - without.quoteGasAdjusted;
  return Number(lost) / Number(without.quote);
}

const deep = [
  pair("0x1", ["a", 1_000_000n * E], ["h", 1_000_000n * E]),
  pair("0x2", ["b", 1_000_000n * E], ["h", 1_000_000n * E]),
];
const direct = [pair("0x3", ["a", 1_000_000n * E], ["b", 1_000_000n * E])];
const shallowIn = pair("0x4", ["a", E], ["h", (11n * E) / 10n]);
const shallowOut = pair("0x5", ["b", 22n * E], ["h", 20n * E]);

/** Pairs of 1 raw unit against a full reserve, one after the other: rates multiply past the largest double. */
const endless = [
  pair("0xz0", ["h", E / 1_000n], ["z0", MAX_RESERVE]),
  ...Array.from({ length: 11 }, (_, i) => pair(`0xz${i + 1}`, [`z${i}`, 1n], [`z${i + 1}`, MAX_RESERVE])),
  pair("0xz12", ["z11", 1n], ["b", E / 1_000n]),
];

const worlds: [string, V2Pool[], V2Pool[]][] = [
  [
    "dust that makes a token seem to cost nothing",
    [...deep, shallowOut],
    [pair("0x6", ["a", E / 1_000n], ["z", 10n ** 24n]), pair("0x7", ["h", E / 1_000n], ["z", 10n ** 12n])],
  ],
  ["dust whose rates multiply past the largest double", [...deep, shallowIn], endless],
  [
    "a token of one raw unit",
    direct,
    [pair("0x6", ["a", 100n * E], ["z", 1n]), pair("0x7", ["b", 110n * E], ["z", 1n])],
  ],
  [
    "a token of ten raw units",
    direct,
    [pair("0x6", ["a", 100n * E], ["z", 10n]), pair("0x7", ["b", 120n * E], ["z", 10n])],
  ],
  [
    "a token without decimals at a better price",
    direct,
    [pair("0x6", ["a", 100_000n * E], ["z", 100_000n]), pair("0x7", ["b", 105_000n * E], ["z", 100_000n])],
  ],
  [
    "pairs with a full reserve",
    direct,
    [pair("0x6", ["a", 10_000n * E], ["z", MAX_RESERVE]), pair("0x7", ["b", 11_000n * E], ["z", MAX_RESERVE])],
  ],
];

const OLD = ["a", "b", "h"];
const NEW = ["x", "y", "z"];
const AMOUNTS = [E / 100n, E / 2n, E, (3n * E) / 2n, 3n * E, 10n * E, 20n * E, 21n * E, 100n * E, 1_000n * E];

describe.each(["exactIn", "exactOut"] as const)("%s", (type) => {
  it.each(worlds)("loses nothing to %s", (_, honest, more) => {
    for (const amount of AMOUNTS) expect(lossOf(honest, more, { amount, type }), `amount ${amount}`).toBeLessThan(1e-4);
  });

  it("loses next to nothing to random pools of any size between new tokens and old ones", () => {
    const draw = drawFrom(seed);
    const pick = <T>(list: readonly T[]): T => list[Math.floor(draw() * list.length)] as T;
    const some = [1n, 2n, 10n, 1_000n, 10n ** 9n, E / 1_000n, E, 100n * E, 10_000n * E];
    const reserveOf = (token: string): Reserve => {
      // nobody has more of an honest token than there is
      return [token, pick(OLD.includes(token) ? some : [...some, 10n ** 27n, MAX_RESERVE - E, MAX_RESERVE])];
    };
    const losses: string[] = [];
    for (let i = 0; i < Number(process.env.WORLDS ?? 300); i++) {
      const honest = [...deep, pick([direct, [shallowIn, shallowOut]])].flat();
      const more = Array.from({ length: 2 + Math.floor(draw() * 6) }, (_, n) => {
        const token0 = pick([...OLD, ...NEW]);
        const token1 = pick([...OLD, ...NEW].filter((token) => token !== token0));
        return pair(`0xe${n}`, reserveOf(token0), reserveOf(token1));
      });
      const amount = pick(AMOUNTS);
      const loss = lossOf(honest, more, { amount, type });
      if (loss > 2e-2) losses.push(`world ${i}, amount ${amount}: ${loss}`);
    }
    expect(losses).toEqual([]);
  });
});

/** Ways from a to b over a token of their own each, of which each gives some less than its depth. */
const ways = (depths: readonly bigint[], name = "m"): V2Pool[] =>
  depths.flatMap((depth, i) => [
    pair(`0xin${name}${i}`, ["a", 1_000n * depth], [`${name}${i}`, 1_000n * depth]),
    pair(`0xout${name}${i}`, [`${name}${i}`, depth], ["b", depth]),
  ]);
const alike = (count: number): V2Pool[] => ways(Array.from({ length: count }, () => 100n * E));
const buying = (amount: bigint, maxLegs?: number): RouteRequest => ({
  ...{ tokenIn: "a", tokenOut: "b", amount, type: "exactOut", gas },
  ...(maxLegs === undefined ? {} : { maxLegs }),
});

describe("an amount that no single path takes", () => {
  it.each<[number | undefined, number]>([
    [2, 10],
    [3, 100],
    [undefined, 100],
    [undefined, 600],
  ])("is never shared by more legs than there may be: %s, over %d ways", (maxLegs, count) => {
    const most = maxLegs ?? 20;
    const graph = buildGraph(alike(count));
    for (const depth of [110n, BigInt(most) * 40n, BigInt(most) * 90n]) {
      const legs = findRoute(graph, buying(depth * E, maxLegs))?.legs.length ?? 0;
      expect(legs, `${depth}`).toBeGreaterThan(1);
      expect(legs, `${depth}`).toBeLessThanOrEqual(most);
    }
    for (const depth of [BigInt(most) * 100n, BigInt(count) * 90n])
      expect(findRoute(graph, buying(depth * E, maxLegs)), `${depth}`).toBeUndefined();
  });

  it.each([
    ["two ways alike", [100n, 100n], 150n],
    ["two of three ways alike", [100n, 100n, 100n], 190n],
    ["a deep and a shallow one of many", [60n, 60n, 60n, 150n], 190n],
    ["two that are nearly emptied", [100n, 40n, 95n], 190n],
  ])("has a route of two legs where it needs exactly two: %s", (_, depths, amount) => {
    const graph = buildGraph(ways(depths.map((depth) => depth * E)));
    const route = findRoute(graph, buying(amount * E, 2));
    expect([route?.legs.length, route?.amountOut]).toEqual([2, amount * E]);
  });

  it.each([
    ["hundreds of shallow ways", alike(600), 600n * 90n],
    [
      "a few deep ways among hundreds of shallow ones",
      [...alike(600), ...ways([20_000n * E, 20_000n * E], "deep")],
      37_000n,
    ],
  ])("takes no more work than some tens of searches: %s", (_, pools, amount) => {
    const terms = termsOf(buildGraph(pools), buying(amount * E));
    if (terms === undefined) throw new Error("there are ways");
    const flow = new Flow(terms);
    layPieces({ terms, flow, finder: new PathFinder(terms, flow) });
    expect(terms.budget.spent).toBeLessThan(50_000);
  });
});

describe("a pair whose own share another pair trades", () => {
  /** `y` is the share of the pair of `b` and `c`. */
  const pools = [pair("y", ["b", 1_000n * E], ["c", 1_000n * E]), pair("x", ["b", 100n * E], ["y", 100n * E])];
  const around = [pair("v", ["b", 100n * E], ["d", 100n * E]), pair("w", ["d", 100n * E], ["c", 100n * E])];

  it.each(["exactIn", "exactOut"] as const)("is not paid by that pair, which would refuse: %s", (type) => {
    const request = { tokenIn: "y", tokenOut: "c", amount: E, type, gas };
    expect(findRoute(buildGraph(pools), request)).toBeUndefined();
    // the other way round it pays a pair that does not trade its share
    expect(findRoute(buildGraph(pools), { ...request, tokenIn: "c", tokenOut: "y" })).toBeDefined();
  });

  it("is gone around where there is another way", () => {
    const request = { tokenIn: "y", tokenOut: "c", amount: E, type: "exactIn", gas } as const;
    const route = findRoute(buildGraph([...pools, ...around]), request);
    expect(route?.legs.map(({ hops }) => hops.map(({ pool }) => pool.address))).toEqual([["x", "v", "w"]]);
  });
});
