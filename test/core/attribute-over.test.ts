// The look-through over a range of blocks, against the exact fractions of every block, on random graphs that change.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AttributionOver, attributeOver } from "../../core/averages/attribute-over.ts";
import type {
  AssetOver,
  BackingSteps,
  HeldSpan,
  IssuerOver,
  LookthroughOver,
} from "../../core/averages/backing-over.ts";
import { blockClock, type Cumulative, FRACTION_BITS } from "../../core/averages/cumulative.ts";
import { MOST_PATHS_PER_ASSET } from "../../core/lookthrough/attribute.ts";
import type { Backing, Lookthrough } from "../../core/lookthrough/backing.ts";
import { type ExactAverages, type ExactBlock, ExactSums } from "../support/exact-attribution.ts";
import { LEAF, randomBackings } from "../support/random-backings.ts";
import { type Rational, ratio } from "../support/rational.ts";
import { ZERO } from "../support/reference-ledger.ts";

const FROM = 10;

/** What holds for a number of blocks. */
interface Stage {
  state: Lookthrough;
  blocks: number;
}

const shown = ({ parts, unattributed }: AttributionOver): ExactAverages => ({
  parts: [...parts]
    .flatMap(([account, own]) =>
      own.map(({ path, amount }): [string, bigint] => [`${account} ${path.join(">")}`, amount]),
    )
    .sort(),
  unattributed: unattributed
    .map(({ contract, reason, path, amount }): [string, bigint] => [`${contract} ${reason} ${path.join(">")}`, amount])
    .sort(),
});

const firstOf = (stages: readonly Stage[], place: number): number =>
  stages.slice(0, place).reduce((sum, { blocks }) => sum + blocks, FROM);

/** Spans of what is held in stages, one for each; what goes on unchanged is cut all the same. */
function spansOf(
  stages: readonly Stage[],
  holdings: (state: Lookthrough) => Lookthrough["leaf"]["holdings"],
): HeldSpan[] {
  return stages.flatMap(({ state, blocks }, i) => {
    const from = firstOf(stages, i);
    return holdings(state).map((held) => ({ ...held, from, until: from + blocks }));
  });
}

function lookthroughOver(stages: readonly Stage[], sinceOf: (address: string) => number, clock: Cumulative) {
  const ids = [...new Set(stages.flatMap(({ state }) => [...state.assets.keys()]))];
  const addresses = [...new Set(stages.flatMap(({ state }) => [...state.issuers.keys()]))];
  const assets = new Map(
    ids.map((id): [string, AssetOver] => {
      const holdings = (state: Lookthrough) => state.assets.get(id)?.holdings ?? [];
      const supply = stages.map(({ state }, i) => ({
        from: firstOf(stages, i),
        value: holdings(state).reduce((sum, { amount }) => sum + amount, 0n),
      }));
      return [id, { id, issuer: id.slice(2), supply, holders: spansOf(stages, holdings) }];
    }),
  );
  const issuers = new Map(
    addresses.map((address): [string, IssuerOver] => {
      const held = [
        ...new Set(stages.flatMap(({ state }) => [...(state.issuers.get(address)?.backings.keys() ?? [])])),
      ];
      const backings = held.map((asset): [string, BackingSteps] => [
        asset,
        stages.map(({ state }, i) => ({
          from: firstOf(stages, i),
          value: state.issuers.get(address)?.backings.get(asset),
        })),
      ]);
      return [address, { address, since: sinceOf(address), backings: new Map(backings) }];
    }),
  );
  const input: LookthroughOver = {
    ...{ from: FROM, to: firstOf(stages, stages.length) - 1, clock, assets, issuers },
    leaf: { id: LEAF, holders: spansOf(stages, ({ leaf }) => leaf.holdings) },
  };
  return { input, addresses };
}

const exactBacking = ({ claims, reserves, expected, remainder }: Backing) => ({
  claims: claims.map(({ asset, amount }) => ({ asset, amount: ratio(amount) })),
  reserves: reserves.map(({ reason, amount }) => ({ reason, amount: ratio(amount) })),
  expected: expected === undefined ? undefined : ratio(expected),
  remainder,
});

const exactHoldings = (holdings: Lookthrough["leaf"]["holdings"]) =>
  holdings.map(({ account, amount }) => ({ account, amount: ratio(amount) }));

const exactBlock = (state: Lookthrough, issuers: readonly string[]): ExactBlock => ({
  leaf: { id: LEAF, holdings: exactHoldings(state.leaf.holdings) },
  assets: new Map([...state.assets].map(([id, { holdings }]) => [id, exactHoldings(holdings)])),
  issuers: new Map(
    issuers.map((address) => {
      const backings = [...(state.issuers.get(address)?.backings ?? [])];
      return [address, { backings: new Map(backings.map(([id, backing]) => [id, exactBacking(backing)])) }];
    }),
  ),
});

const clockOf = (weights: readonly number[]): Cumulative => ({
  at: (block) => BigInt(weights.slice(0, block - FROM).reduce((sum, weight) => sum + weight, 0)),
});

const stage = fc.record({ state: randomBackings(4), blocks: fc.integer({ min: 1, max: 5 }) });

describe("look-through over a range", () => {
  it("is the mean of the exact fractions of all blocks, on random graphs that change and issuers that come later", () => {
    let partsSeen = 0;
    fc.assert(
      fc.property(
        fc.array(stage, { minLength: 1, maxLength: 4 }),
        fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 20, maxLength: 20 }),
        fc.array(fc.integer({ min: 0, max: 8 }), { minLength: 4, maxLength: 4 }),
        (stages, weights, later) => {
          const blocks = stages.flatMap(({ state, blocks }) => Array.from({ length: blocks }, () => state));
          const own = weights.slice(0, blocks.length).map((weight, i) => (i === 0 ? weight + 1 : weight));
          const sinceOf = (address: string) => FROM + Math.max((later[Number(address.slice(1))] ?? 0) - 4, 0);
          const { input, addresses } = lookthroughOver(stages, sinceOf, clockOf(own));
          const sums = new ExactSums(LEAF);
          for (const [i, state] of blocks.entries()) {
            const there = addresses.filter((one) => sinceOf(one) <= FROM + i);
            sums.add(exactBlock(state, there), BigInt(own[i] ?? 0));
          }
          const found = shown(attributeOver(input));
          expect(found).toEqual(sums.averages());
          partsSeen += found.parts.filter(([key]) => key.includes(">")).length;
        },
      ),
      { numRuns: 400 },
    );
    expect(partsSeen).toBeGreaterThan(300);
  });

  it("loses no wei where averages are whole numbers", () => {
    const thirds: Lookthrough = {
      leaf: { id: LEAF, holdings: [{ account: "pair", amount: 9n }] },
      assets: new Map([
        ["lp", { id: "lp", issuer: "pair", holdings: ["a", "b", "c"].map((account) => ({ account, amount: 7n })) }],
      ]),
      issuers: new Map([
        [
          "pair",
          { address: "pair", backings: new Map([[LEAF, { claims: [{ asset: "lp", amount: 9n }], reserves: [] }]]) },
        ],
      ]),
    };
    const { input } = lookthroughOver([{ state: thirds, blocks: 7 }], () => FROM, blockClock);
    expect(shown(attributeOver(input))).toEqual({
      parts: ["a", "b", "c"].map((account) => [`${account} leaf>lp`, 3n]),
      unattributed: [],
    });
  });

  it("cuts an asset that is reached along too many paths, and leaves nothing out", () => {
    const middle = Array.from({ length: MOST_PATHS_PER_ASSET + 6 }, (_, i) => `m${String(i).padStart(3, "0")}`);
    const backing = (asset: string, amount: bigint) => ({ claims: [{ asset, amount }], reserves: [] });
    const state: Lookthrough = {
      leaf: { id: LEAF, holdings: middle.map((account) => ({ account, amount: 10n })) },
      assets: new Map([["end", { id: "end", issuer: "x", holdings: [{ account: "a", amount: 5n }] }]]),
      issuers: new Map(
        middle.map((address) => [address, { address, backings: new Map([[LEAF, backing("end", 10n)]]) }]),
      ),
    };
    const { input } = lookthroughOver([{ state, blocks: 3 }], () => FROM, blockClock);
    const found = shown(attributeOver(input));
    expect(found.parts).toEqual(Array.from({ length: MOST_PATHS_PER_ASSET }, () => ["a leaf>end", 10n]));
    expect(found.unattributed).toEqual(middle.slice(MOST_PATHS_PER_ASSET).map((one) => [`${one} cycle leaf`, 10n]));
  });
});

/** A pool's claims at one block: by position, whose it is and what it comes to. */
interface PoolBlock {
  held: bigint;
  expected: bigint;
  fees: bigint;
  claims: readonly { owner: string; amount: Rational; isOwnerless: boolean }[];
}

const claim = fc.record({
  owner: fc.constantFrom("a", "b", "island", "late", "farm", ZERO),
  amount: fc
    .tuple(fc.bigInt({ min: 0n, max: 10n ** 20n }), fc.bigInt({ min: 1n, max: 1000n }))
    .map(([n, d]) => ratio(n, d)),
  isOwnerless: fc.boolean(),
});
const poolBlock = (positions: number) =>
  fc
    .record({
      claims: fc.array(claim, { minLength: positions, maxLength: positions }),
      fees: fc.bigInt({ min: 0n, max: 100n }),
      over: fc.bigInt({ min: 1n, max: 50n }),
      stray: fc.constantFrom(0n, 0n, 17n),
      missing: fc.constantFrom(0n, 0n, 0n, 3n, 10n ** 19n),
    })
    .map(({ claims, fees, over, stray, missing }): PoolBlock => {
      const owed = claims.reduce((sum, { amount }) => sum + amount.n / amount.d + 1n, fees);
      const expected = owed + over;
      const held = expected + stray - missing;
      return { held: held > 0n ? held : 0n, expected, fees, claims };
    });

describe("a pool over a range", () => {
  it("is the mean of the exact fractions of all blocks, with owners that pass on, shortfalls and a stop", () => {
    let [short, passed] = [0, 0];
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4 }).chain((n) => fc.array(poolBlock(n), { minLength: 1, maxLength: 8 })),
        fc.integer({ min: 3, max: 12 }),
        fc.integer({ min: 0, max: 4 }),
        (blocks, stop, since) => {
          const { input, exact } = poolOver(blocks, { stoppedFrom: FROM + stop, since: FROM + since });
          const sums = new ExactSums(LEAF);
          for (const block of exact) sums.add(block, 1n);
          const expected = sums.averages();
          expect(shown(attributeOver(input))).toEqual(expected);
          short += blocks.filter(({ held, expected: all }) => held < all).length;
          passed += expected.parts.filter(([key]) => key.endsWith(">share")).length;
        },
      ),
      { numRuns: 400 },
    );
    expect(short).toBeGreaterThan(50);
    expect(passed).toBeGreaterThan(50);
  });
});

const fixed = ({ n, d }: Rational): bigint => (n << FRACTION_BITS) / d;

/**
 * Each block as it is, and all as one: positions p0, p1, …, of which the island passes on what it has of p0 and p1 to its
 * holders, and the farm nothing; `late` becomes such an island.
 */
function poolOver(blocks: readonly PoolBlock[], { stoppedFrom, since }: { stoppedFrom: number; since: number }) {
  const places = blocks.map((block, i) => ({ block, from: FROM + i }));
  const idOf = (place: number) => `p${place}`;
  const claims = places.flatMap(({ block, from }) =>
    block.claims.map((one, place) => ({
      ...{ from, until: from + 1, owner: one.owner, value: one.amount },
      asset: one.isOwnerless ? undefined : idOf(place),
    })),
  );
  const steps = <T>(of: (block: PoolBlock) => T) => places.map(({ block, from }) => ({ from, value: of(block) }));
  const sharing = (owner: string, place: number): BackingSteps =>
    steps((block) => {
      const one = block.claims[place];
      return one?.owner === owner
        ? { claims: [{ asset: "share", amount: fixed(one.amount) }], reserves: [] }
        : { claims: [], reserves: [] };
    });
  const passing = (owner: string) => new Map([0, 1].map((place) => [idOf(place), sharing(owner, place)]));
  const holdings = [
    { account: "c", amount: 2n },
    { account: "d", amount: 1n },
  ];
  const to = FROM + blocks.length - 1;
  const pool = {
    ...{ claims, stoppedFrom, protocolFees: steps(({ fees }) => fees), expected: steps(({ expected }) => expected) },
    weigh: (weight: Cumulative) =>
      claims.map(({ from, until, value }) => ((weight.at(until) - weight.at(from)) * value.n) / value.d),
    claimSteps: (index: number) => {
      const one = claims[index];
      return one ? [{ from: one.from, value: fixed(one.value) }] : [];
    },
  };
  const input: LookthroughOver = {
    ...{ from: FROM, to, clock: blockClock },
    leaf: {
      id: LEAF,
      holders: places.flatMap(({ block, from }) =>
        block.held > 0n ? [{ account: "pool", from, until: from + 1, amount: block.held }] : [],
      ),
    },
    assets: new Map([
      [
        "share",
        {
          ...{ id: "share", issuer: "island", supply: [{ from: FROM, value: 3n }] },
          holders: holdings.map((one) => ({ ...one, from: FROM, until: to + 1 })),
        },
      ],
    ]),
    issuers: new Map<string, IssuerOver>([
      ["pool", { address: "pool", since: FROM, backings: new Map([[LEAF, pool]]) }],
      ["island", { address: "island", since: FROM, backings: passing("island") }],
      ["late", { address: "late", since, backings: passing("late") }],
      ["farm", { address: "farm", since: FROM, backings: new Map() }],
    ]),
  };
  const exact = places.map(({ block, from }): ExactBlock => {
    const own = block.claims.map((one, place) => ({ ...one, asset: idOf(place) }));
    const isStopped = from >= stoppedFrom;
    const passes = (owner: string) =>
      new Map(
        own
          .filter((one, place) => place < 2 && one.owner === owner && !one.isOwnerless)
          .map(({ asset, amount }) => [asset, { claims: [{ asset: "share", amount }], reserves: [] }]),
      );
    return {
      leaf: { id: LEAF, holdings: block.held > 0n ? [{ account: "pool", amount: ratio(block.held) }] : [] },
      assets: new Map([
        ["share", exactHoldings(holdings)],
        ...own.map(
          ({ asset, owner, amount }) =>
            [asset, [{ account: owner, amount }]] as [string, { account: string; amount: Rational }[]],
        ),
      ]),
      issuers: new Map([
        [
          "pool",
          {
            backings: new Map([
              [
                LEAF,
                isStopped
                  ? { claims: [], reserves: [], remainder: "stopped" }
                  : {
                      claims: own.filter(({ isOwnerless }) => !isOwnerless),
                      reserves: [
                        { reason: "protocol-fee", amount: ratio(block.fees) },
                        ...own.filter((one) => one.isOwnerless).map(({ amount }) => ({ reason: "stray", amount })),
                      ],
                      expected: ratio(block.expected),
                    },
              ],
            ]),
          },
        ],
        ["island", { backings: passes("island") }],
        ...(from >= since ? [["late", { backings: passes("late") }] as const] : []),
        ["farm", { backings: new Map() }],
      ]),
    };
  });
  return { input, exact };
}
