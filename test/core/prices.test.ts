// Means over time, paths through pools and prices of shares, against sums worked out by hand.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fairPairAmounts, fairRangeAmounts } from "../../core/prices/fair-amounts.ts";
import { rootRoundingDown } from "../../core/prices/integer-root.ts";
import { meanOf, type PoolMean, type PoolMoment } from "../../core/prices/mean-price.ts";
import { priceCurves } from "../../core/prices/price-curves.ts";
import { type GraphPrice, walkPrices } from "../../core/prices/price-graph.ts";
import { priceShares } from "../../core/prices/price-shares.ts";
import { FINE_USD_DECIMALS, parseUsd } from "../../core/prices/usd.ts";

const E18 = 10n ** 18n;
const USD = 10n ** BigInt(FINE_USD_DECIMALS);
const pair = { address: "pool", token0: "a", token1: "b" };
const at = (since: number, price: number | undefined, depth = 100n): PoolMoment => ({
  since,
  price: price === undefined ? undefined : { numerator: BigInt(Math.round(price * 1e9)), denominator: 10n ** 9n },
  depth0: depth,
  depth1: 2n * depth,
});
const numberOf = ({ numerator, denominator }: { numerator: bigint; denominator: bigint }): number =>
  Number((numerator * 10n ** 30n) / denominator) / 1e30;
const meanAt = (moments: readonly PoolMoment[], span = { from: 1_000, to: 2_800 }): PoolMean | undefined =>
  meanOf({ ...pair, moments }, span);

describe("the mean of a pool", () => {
  it("is geometric, weighted by seconds", () => {
    // 4 for 600 s, 9 for 900 s, 1 for 300 s
    const mean = meanAt([at(0, 4), at(1_600, 9), at(2_500, 1)]);
    const byHand = 4 ** (600 / 1_800) * 9 ** (900 / 1_800) * 1 ** (300 / 1_800);
    expect(byHand).toBeCloseTo(4.762203156, 8);
    expect(numberOf(mean!.price)).toBeCloseTo(byHand, 12);
  });

  it("is the last price exactly where nothing moved, however long ago that was", () => {
    const mean = meanAt([at(3, 1.234567891)]);
    expect(mean?.price).toEqual({ numerator: 1_234_567_891n, denominator: 10n ** 9n });
    expect([mean?.depth0, mean?.lifeDepth1]).toEqual([100n, 200n]);
  });

  it("begins with the pool's life where that is shorter", () => {
    const mean = meanAt([at(2_200, 4), at(2_500, 9)]);
    expect(numberOf(mean!.price)).toBeCloseTo(Math.sqrt(4 * 9), 12);
    expect([mean?.depth0, mean?.lifeDepth0]).toEqual([33n, 100n]);
  });

  it("counts for nothing what a block of no length does, and has only that in the block of its making", () => {
    expect(numberOf(meanAt([at(0, 4), at(2_800, 40_000)])!.price)).toBe(4);
    const young = meanAt([at(2_800, 7, 50n)]);
    expect([numberOf(young!.price), young?.depth0, young?.lifeDepth0]).toEqual([7, 0n, 50n]);
    expect(meanAt([at(5, undefined)])).toBeUndefined();
    expect(meanAt([])).toBeUndefined();
  });

  it("moves less than 1 % by a price that was ten times as high for one block of two seconds", () => {
    const calm = numberOf(meanAt([at(0, 5)])!.price);
    for (const factor of [10, 0.1]) {
      const within = numberOf(meanAt([at(0, 5), at(2_796, 5 * factor), at(2_798, 5)])!.price);
      expect(Math.abs(within / calm - 1)).toBeLessThan(0.01);
      expect(within).not.toBe(calm);
    }
  });

  it("keeps the last price through a time without one", () => {
    expect(numberOf(meanAt([at(0, 4), at(1_900, undefined, 0n), at(2_350, 9)])!.price)).toBeCloseTo(
      4 ** (1_350 / 1_800) * 9 ** (450 / 1_800),
      12,
    );
  });

  it("is right at the ends of what pools can say", () => {
    const extreme = (n: bigint, d: bigint, since: number): PoolMoment => ({
      since,
      price: { numerator: n, denominator: d },
      depth0: 1n,
      depth1: 1n,
    });
    const most = 2n ** 112n - 1n;
    const mean = meanAt([extreme(most, 1n, 0), extreme(1n, most, 1_900)]);
    expect(numberOf(mean!.price)).toBeCloseTo(1, 9);
  });
});

interface Edge {
  pool: string;
  tokens: [string, string];
  /** token1 per token0. */
  price: number;
  /** Whole tokens. */
  depths: [number, number];
}
const wei = (whole: number): bigint => BigInt(Math.round(whole * 1e6)) * 10n ** 12n;
const edge = ({ pool, tokens: [token0, token1], price, depths }: Edge): PoolMean => ({
  address: pool,
  token0,
  token1,
  price: { numerator: wei(price), denominator: E18 },
  depth0: wei(depths[0]),
  depth1: wei(depths[1]),
  lifeDepth0: wei(depths[0]),
  lifeDepth1: wei(depths[1]),
});
function walk(edges: readonly Edge[], minimum = 1_000): Map<string, GraphPrice> {
  const tokens = new Set(edges.flatMap((one) => one.tokens));
  return walkPrices({
    fixed: new Map([["usd", USD]]),
    pools: edges.map(edge),
    decimals: new Map([...tokens].map((token) => [token, 18])),
    minimumDepth: parseUsd(String(minimum)),
  });
}
const shown = (price: GraphPrice | undefined) => price && [Number(price.usd / 10n ** 60n) / 1e12, price.path.join(" ")];

describe("paths through pools", () => {
  const direct: Edge = { pool: "1", tokens: ["usd", "x"], price: 0.5, depths: [2_000, 1_000] };

  it("go along the pool that is deepest where it is weakest", () => {
    const way: Edge[] = [
      { pool: "2", tokens: ["bera", "usd"], price: 4, depths: [10_000, 40_000] },
      { pool: "3", tokens: ["bera", "x"], price: 2, depths: [5_000, 10_000] },
    ];
    expect(shown(walk([direct, ...way]).get("x"))).toEqual([2, "2 3"]);
    expect(shown(walk([{ ...direct, depths: [30_000, 1] }, ...way]).get("x"))).toEqual([2, "1"]);
    // 20,000 USD of bera are behind pool 3, by the price that pool 2 gives
    expect(walk([direct, ...way]).get("x")?.depth).toBe(20_000n * USD);
  });

  it("leave out what is too shallow, and stop after four pools", () => {
    expect(walk([direct], 2_001).get("x")).toBeUndefined();
    expect(shown(walk([direct], 2_000).get("x"))).toEqual([2, "1"]);
    const chain = [1, 2, 3, 4, 5].map(
      (i): Edge => ({
        pool: String(i),
        tokens: [i === 1 ? "usd" : `t${i - 1}`, `t${i}`],
        price: 1,
        depths: [5_000, 5_000],
      }),
    );
    const walked = walk(chain);
    expect([walked.get("t4")?.path.length, walked.get("t5")]).toEqual([4, undefined]);
  });

  it("take the longer way only for depth, and decide ties by depth of the last pool, then by address", () => {
    const bottleneck: Edge = { pool: "0", tokens: ["usd", "bera"], price: 1, depths: [3_000, 3_000] };
    const last = (pool: string, depth: number, price: number): Edge => ({
      pool,
      tokens: ["bera", "x"],
      price,
      depths: [depth, depth],
    });
    expect(shown(walk([bottleneck, last("1", 4_000, 1), last("2", 9_000, 2)]).get("x"))).toEqual([0.5, "0 2"]);
    expect(shown(walk([bottleneck, last("4", 9_000, 1), last("3", 9_000, 2)]).get("x"))).toEqual([0.5, "0 3"]);
  });

  it("know decimals, and pass by tokens without", () => {
    const pools = [
      {
        ...edge(direct),
        // raw: 10^12 of x for one of usd
        price: { numerator: 10n ** 12n, denominator: 2n },
        depth0: 2_000n * 10n ** 6n,
        lifeDepth0: 2_000n * 10n ** 6n,
      },
    ];
    const graph = { fixed: new Map([["usd", USD]]), pools, minimumDepth: parseUsd("1000") };
    const sixAnd18 = walkPrices({
      ...graph,
      decimals: new Map([
        ["usd", 6],
        ["x", 18],
      ]),
    });
    expect(shown(sixAnd18.get("x"))).toEqual([2, "1"]);
    expect(walkPrices({ ...graph, decimals: new Map([["usd", 6]]) }).get("x")).toBeUndefined();
  });

  it("never price what is fixed", () => {
    expect(shown(walk([{ ...direct, tokens: ["x", "usd"], depths: [9_999_999, 9_999_999] }]).get("usd"))).toEqual([
      1,
      "",
    ]);
  });
});

describe("shares", () => {
  type Shares = Record<string, [supply: bigint, parts: [string, bigint][]]>;
  const market = (shares: Shares) =>
    priceShares({
      shares: new Map(
        Object.entries(shares).map(([share, [supply, parts]]) => [
          share,
          { share, supply, parts: parts.map(([token, amount]) => ({ token, amount })) },
        ]),
      ),
      usdOf: (token) => ({ usd: USD, bera: 4n * USD })[token],
      decimals: new Map(["usd", "bera", "odd", ...Object.keys(shares)].map((token) => [token, 18])),
    });

  it("are worth what is behind them, shares behind shares too", () => {
    const { usd } = market({
      lp: [
        100n * E18,
        [
          ["usd", 200n * E18],
          ["bera", 50n * E18],
        ],
      ],
      vault: [10n * E18, [["lp", 30n * E18]]],
    });
    expect([usd.get("lp"), usd.get("vault")]).toEqual([4n * USD, 12n * USD]);
  });

  it("have no price while something behind them has none, and say what", () => {
    const { usd, missing } = market({
      lp: [
        100n * E18,
        [
          ["usd", 200n * E18],
          ["odd", 1n],
        ],
      ],
      vault: [10n * E18, [["lp", 30n * E18]]],
      oneSided: [
        10n * E18,
        [
          ["usd", 30n * E18],
          ["odd", 0n],
        ],
      ],
      empty: [0n, []],
      a: [1n, [["b", 1n]]],
      b: [1n, [["a", 1n]]],
    });
    expect([...usd]).toEqual([["oneSided", 3n * USD]]);
    expect(missing.get("lp")).toEqual(["odd"]);
    expect(missing.get("vault")).toEqual(["odd"]);
    expect(missing.get("empty")).toEqual([]);
    expect(missing.get("a")).toEqual(["b"]);
  });

  it("have the same price whatever else exists, and however many shares are stacked on them", () => {
    const stacked = (levels: number) => {
      const shares: Shares = {};
      // the highest first, as somebody who knows the addresses beforehand can arrange
      for (let level = levels; level > 0; level--)
        shares[`p${level}`] = [10n * E18, [[level === 1 ? "vault" : `p${level - 1}`, E18]]];
      const grounded: Shares = { vault: [10n * E18, [["lp", 30n * E18]]], lp: [100n * E18, [["usd", 400n * E18]]] };
      return { ...shares, ...grounded };
    };
    for (const levels of [0, 1, 30, 31, 32, 33, 20_000]) {
      const { usd, missing } = market(stacked(levels));
      expect([usd.get("lp"), usd.get("vault")], String(levels)).toEqual([4n * USD, 12n * USD]);
      expect([...missing], String(levels)).toEqual([]);
    }
  });

  it("name the first 32 of what they lack, however much there is", () => {
    const shares: Shares = {};
    for (let level = 1; level <= 3_000; level++)
      shares[`p${level}`] = [
        10n * E18,
        [
          [`odd${String(level).padStart(4, "0")}`, 1n],
          [level === 1 ? "odd" : `p${level - 1}`, E18],
        ],
      ];
    const { missing } = market(shares);
    expect(missing.get("p2")).toEqual(["odd", "odd0001", "odd0002"]);
    expect(missing.get("p3000")).toEqual([
      "odd",
      ...Array.from({ length: 31 }, (_, i) => `odd${String(i + 1).padStart(4, "0")}`),
    ]);
  });

  it("are valued by what their pool holds at its mean price, so that pushing it moves nothing", () => {
    fc.assert(
      fc.property(
        fc.bigInt(10n ** 12n, 10n ** 24n),
        fc.bigInt(10n ** 12n, 10n ** 24n),
        fc.bigInt(1n, 10_000n),
        (amount0, amount1, push) => {
          const mean = { numerator: amount1, denominator: amount0 };
          const fair = fairPairAmounts({ amount0, amount1 }, mean);
          expect(amount0 - fair.amount0).toBeLessThanOrEqual(1n);
          expect(amount1 - fair.amount1).toBeLessThanOrEqual(1n);
          const pushed = fairPairAmounts({ amount0: amount0 * push, amount1: amount1 / push }, mean);
          expect(Number(pushed.amount0) / Number(amount0)).toBeCloseTo(1, 3);
        },
      ),
    );
    const range = { liquidity: 10n ** 24n, tickLower: -6_000, tickUpper: 6_000 };
    const middle = fairRangeAmounts(range, { numerator: 1n, denominator: 1n });
    expect(middle.amount0).toBe(middle.amount1);
    expect(fairRangeAmounts(range, { numerator: 10n ** 60n, denominator: 1n }).amount0).toBe(0n);
    expect(fairRangeAmounts(range, { numerator: 1n, denominator: 10n ** 60n }).amount1).toBe(0n);
  });
});

describe("curves", () => {
  const decimals = new Map(["bera", "own", "other"].map((token) => [token, 18]));
  const curve = ([pool, token]: [string, string], price: bigint, raised: bigint) => ({
    pool,
    token,
    base: "bera",
    price: { numerator: price, denominator: 1n },
    raised: raised * E18,
  });
  const usdOf = (prices: Record<string, bigint>) => (token: string) => prices[token];

  it("price what is sold on them; anybody's curve only what nothing else prices", () => {
    const curves = [
      curve(["own", "own"], 2n, 0n),
      curve(["evil", "own"], 900n, 1_000n),
      curve(["q", "other"], 5n, 10n),
      curve(["p", "other"], 7n, 90n),
    ];
    expect([...priceCurves({ curves, usdOf: usdOf({ bera: 3n * USD, own: USD }), decimals })]).toEqual([
      ["own", 6n * USD],
      ["other", 21n * USD],
    ]);
    expect(
      priceCurves({ curves, usdOf: usdOf({ bera: 3n * USD, other: USD }), decimals }).get("other"),
    ).toBeUndefined();
    expect(priceCurves({ curves, usdOf: usdOf({}), decimals }).size).toBe(0);
  });
});

describe("integers", () => {
  it("have roots that are rounded down", () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 2n ** 600n), (value) => {
        const root = rootRoundingDown(value);
        expect(root * root <= value && (root + 1n) * (root + 1n) > value).toBe(true);
      }),
    );
  });

  it("are read from decimal USD", () => {
    expect([parseUsd("1"), parseUsd("0.9995"), parseUsd("1000.5")]).toEqual([
      USD,
      (9_995n * USD) / 10_000n,
      (10_005n * USD) / 10n,
    ]);
  });
});
