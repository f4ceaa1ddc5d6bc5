// The look-through recursion: what each rule does, and the law that nothing is lost or made, on random graphs.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Attribution, attribute, MOST_PATHS_PER_ASSET } from "../../core/lookthrough/attribute.ts";
import {
  type Asset,
  type Backing,
  type Claim,
  type Holding,
  type Issuer,
  type Lookthrough,
  unattributedReasons,
} from "../../core/lookthrough/backing.ts";
import { LEAF, randomBackings } from "../support/random-backings.ts";
import { ZERO } from "../support/reference-ledger.ts";

interface Sketch {
  leaf: Record<string, bigint>;
  /** Asset -> issuer and holdings. */
  assets?: Record<string, { by: string; held: Record<string, bigint> }>;
  /** Issuer -> asset held -> backing. */
  backings?: Record<string, Record<string, Partial<Backing>>>;
}

const holdingsOf = (held: Record<string, bigint>): Holding[] =>
  Object.entries(held).map(([account, amount]) => ({ account, amount }));

function drawn({ leaf, assets = {}, backings = {} }: Sketch): Lookthrough {
  return {
    leaf: { id: LEAF, holdings: holdingsOf(leaf) },
    assets: new Map(
      Object.entries(assets).map(([id, { by, held }]) => [id, { id, issuer: by, holdings: holdingsOf(held) }]),
    ),
    issuers: new Map(
      Object.entries(backings).map(([address, held]) => [
        address,
        {
          address,
          backings: new Map(Object.entries(held).map(([id, b]) => [id, { claims: [], reserves: [], ...b }])),
        },
      ]),
    ),
  };
}

const total = (attribution: Attribution): bigint =>
  [...attribution.parts.values()].flat().reduce((sum, part) => sum + part.amount, 0n) +
  attribution.unattributed.reduce((sum, part) => sum + part.amount, 0n);

const shown = (attribution: Attribution) => ({
  parts: Object.fromEntries(
    [...attribution.parts].map(([account, parts]) => [
      account,
      parts.map(({ path, amount }) => [path.join(">"), amount]).sort(),
    ]),
  ),
  unattributed: attribution.unattributed
    .map(({ contract, reason, path, amount }) => [contract, reason, path.join(">"), amount])
    .sort(),
});

describe("look-through", () => {
  it("gives the leaf to plain accounts and the zero address's part to nobody", () => {
    expect(shown(attribute(drawn({ leaf: { a: 5n, [ZERO]: 2n } })))).toEqual({
      parts: { a: [["leaf", 5n]] },
      unattributed: [[ZERO, "zero-address", "leaf", 2n]],
    });
  });

  it("replaces a pair by its holders, floors once, and calls the rest rounding", () => {
    const pair = drawn({
      leaf: { pair: 100n, a: 1n },
      assets: { lp: { by: "pair", held: { a: 1n, b: 1n, c: 1n, [ZERO]: 4n } } },
      backings: { pair: { leaf: { claims: [{ asset: "lp", amount: 100n }] } } },
    });
    expect(shown(attribute(pair))).toEqual({
      parts: {
        a: [
          ["leaf", 1n],
          ["leaf>lp", 14n],
        ],
        b: [["leaf>lp", 14n]],
        c: [["leaf>lp", 14n]],
      },
      unattributed: [
        [ZERO, "zero-address", "leaf>lp", 57n],
        ["pair", "rounding", "leaf", 1n],
      ],
    });
  });

  it("keeps one asset of an account for others, on its own and below a share, and leaves it all others", () => {
    const pair = drawn({
      leaf: { custodian: 7n, pair: 30n },
      assets: { lp: { by: "pair", held: { custodian: 1n, a: 2n } } },
      backings: { pair: { leaf: { claims: [{ asset: "lp", amount: 30n }] } } },
    });
    const holding = (asset: string): Lookthrough => {
      const backings = new Map([[asset, { claims: [], reserves: [], remainder: "rewards" as const }]]);
      const custodian: Issuer = { address: "custodian", backings, isAccountOtherwise: true };
      return { ...pair, issuers: new Map([...pair.issuers, ["custodian", custodian]]) };
    };
    const a = [["leaf>lp", 20n]];
    expect(shown(attribute(holding(LEAF)))).toEqual({
      parts: { a, custodian: [["leaf>lp", 10n]] },
      unattributed: [["custodian", "rewards", "leaf", 7n]],
    });
    expect(shown(attribute(holding("lp")))).toEqual({
      parts: { a, custodian: [["leaf", 7n]] },
      unattributed: [["custodian", "rewards", "leaf>lp", 10n]],
    });
  });

  it("floors a nested path once, not at every level", () => {
    const nested = drawn({
      leaf: { pair: 100n },
      assets: {
        lp: { by: "pair", held: { farm: 2n, b: 5n } },
        stake: { by: "farm", held: { a: 7n, c: 13n } },
      },
      backings: {
        pair: { leaf: { claims: [{ asset: "lp", amount: 100n }] } },
        farm: { lp: { claims: [{ asset: "stake", amount: 2n }] } },
      },
    });
    // a: 7/20 × 2/7 × 100 = exactly 10; flooring 2/7 × 100 = 28 first would give 9
    expect(shown(attribute(nested)).parts).toEqual({
      a: [["leaf>lp>stake", 10n]],
      b: [["leaf>lp", 71n]],
      c: [["leaf>lp>stake", 18n]],
    });
  });

  it("separates principal and fees", () => {
    const position = drawn({
      leaf: { pool: 1000n },
      assets: { p1: { by: "pool", held: { a: 70n } } },
      backings: { pool: { leaf: { claims: [{ asset: "p1", amount: 70n, principal: 60n }], expected: 80n } } },
    });
    const { parts, unattributed } = attribute(position);
    expect(parts.get("a")).toEqual([{ path: ["leaf", "p1"], amount: 70n, principal: 60n }]);
    expect(unattributed.map(({ reason, amount }) => [reason, amount])).toEqual([
      ["rounding", 10n],
      ["stray", 920n],
    ]);
  });

  it("gives pro rata when a contract owes more than it holds, and reports the shortfall", () => {
    const short = drawn({
      leaf: { pool: 50n },
      assets: { p1: { by: "pool", held: { a: 60n } }, p2: { by: "pool", held: { b: 30n } } },
      backings: {
        pool: {
          leaf: {
            claims: [
              { asset: "p1", amount: 60n },
              { asset: "p2", amount: 30n },
            ],
            reserves: [{ reason: "protocol-fee", amount: 10n }],
          },
        },
      },
    });
    const attribution = attribute(short);
    expect(shown(attribution)).toEqual({
      parts: { a: [["leaf>p1", 30n]], b: [["leaf>p2", 15n]] },
      unattributed: [["pool", "protocol-fee", "leaf", 5n]],
    });
    expect(attribution.shortfalls).toEqual([{ contract: "pool", asset: LEAF, amount: 50n, held: 50n }]);
  });

  it("passes on declared backings only: the rest is stray, own shares included", () => {
    const island = drawn({
      leaf: { island: 100n, vault: 7n },
      assets: {
        share: { by: "island", held: { a: 3n, island: 1n } },
        other: { by: "vault", held: { a: 1n } },
      },
      backings: { island: { leaf: { claims: [{ asset: "share", amount: 100n }] } }, vault: {} },
    });
    expect(shown(attribute(island))).toEqual({
      parts: { a: [["leaf>share", 75n]] },
      unattributed: [
        ["island", "stray", "leaf>share", 25n],
        ["vault", "stray", "leaf", 7n],
      ],
    });
  });

  it("cuts a cycle where it closes", () => {
    // x is backed by the leaf and by y, y by x: half of x sits in y, half of y in x.
    const cycle = drawn({
      leaf: { ix: 80n },
      assets: { x: { by: "ix", held: { a: 1n, iy: 1n } }, y: { by: "iy", held: { b: 1n, ix: 1n } } },
      backings: {
        ix: { leaf: { claims: [{ asset: "x", amount: 80n }] }, y: { claims: [{ asset: "x", amount: 1n }] } },
        iy: { x: { claims: [{ asset: "y", amount: 1n }] } },
      },
    });
    expect(shown(attribute(cycle))).toEqual({
      parts: { a: [["leaf>x", 40n]], b: [["leaf>x>y", 20n]] },
      unattributed: [["ix", "cycle", "leaf>x>y", 20n]],
    });
  });

  it("gives what no share can claim to nobody", () => {
    const empty = drawn({
      leaf: { vault: 9n },
      assets: { share: { by: "vault", held: {} } },
      backings: { vault: { leaf: { claims: [{ asset: "share", amount: 9n }] } } },
    });
    expect(shown(attribute(empty))).toEqual({ parts: {}, unattributed: [["vault", "stray", "leaf", 9n]] });
  });

  it("names one reason for a stopped pool's whole holding", () => {
    const stopped = drawn({ leaf: { pool: 9n }, backings: { pool: { leaf: { remainder: "stopped" } } } });
    expect(shown(attribute(stopped)).unattributed).toEqual([["pool", "stopped", "leaf", 9n]]);
  });

  it("stays small where contracts hold each other in factorially many ways", () => {
    const names = Array.from({ length: 14 }, (_, i) => `i${i}`);
    const tangle = drawn({
      leaf: Object.fromEntries(names.map((name) => [name, 10n ** 30n])),
      assets: Object.fromEntries(
        names.map((by) => [
          `s-${by}`,
          { by, held: Object.fromEntries([...names, "a"].map((name) => [name, 10n ** 20n])) },
        ]),
      ),
      backings: Object.fromEntries(
        names.map((name) => [
          name,
          Object.fromEntries(
            [LEAF, ...names.map((by) => `s-${by}`)].map((asset) => [
              asset,
              { claims: [{ asset: `s-${name}`, amount: asset === LEAF ? 10n ** 30n : 10n ** 20n }] },
            ]),
          ),
        ]),
      ),
    });
    const attribution = attribute(tangle);
    expect(attribution.parts.get("a")?.length).toBeLessThanOrEqual(MOST_PATHS_PER_ASSET * names.length);
    expect(total(attribution)).toBe(14n * 10n ** 30n);
  });
});

interface Visit {
  id: string;
  holdings: readonly Holding[];
  path: readonly string[];
  passed: readonly string[];
  /** The leaf in one unit of the asset. */
  part: readonly [numerator: bigint, denominator: bigint];
}

function larger(a: bigint, b: bigint): bigint {
  if (a < b) return b;
  return a;
}

/** What accounts get by the same rules written the other way: depth first, one holding at a time. */
function reckoned(input: Lookthrough): Map<string, Map<string, bigint>> {
  const parts = new Map<string, Map<string, bigint>>();
  const visit = ({ id, holdings, path, passed, part }: Visit) => {
    for (const { account, amount } of holdings) {
      const [n, d] = [part[0] * amount, part[1]];
      const issuer = input.issuers.get(account);
      if (issuer) follow({ id, holdings, path, passed, part: [n, d] }, { issuer, amount });
      else if (account !== ZERO && n / d > 0n)
        parts.set(account, (parts.get(account) ?? new Map<string, bigint>()).set(path.join(">"), n / d));
    }
  };
  const follow = ({ id, path, passed, part: [n, d] }: Visit, held: { issuer: Issuer; amount: bigint }) => {
    const { issuer, amount } = held;
    const backing = issuer.backings.get(id);
    if (!backing || passed.includes(issuer.address)) return;
    const owed = [...backing.claims, ...backing.reserves].reduce((sum, one) => sum + one.amount, 0n);
    const shared = larger(owed, amount);
    for (const claim of backing.claims) {
      const { holdings } = input.assets.get(claim.asset) as Asset;
      const supply = holdings.reduce((sum, one) => sum + one.amount, 0n);
      if (supply === 0n) continue;
      const asset = { id: claim.asset, holdings, path: [...path, claim.asset], passed: [...passed, issuer.address] };
      visit({ ...asset, part: [n * claim.amount, d * supply * shared] });
    }
  };
  visit({ id: input.leaf.id, holdings: input.leaf.holdings, path: [input.leaf.id], passed: [], part: [1n, 1n] });
  return parts;
}

it("lists what belongs to nobody in one order, whatever order claims are read in", () => {
  const claims = [
    { asset: "x", amount: 30n },
    { asset: "y", amount: 70n },
  ] as const;
  const backed = (read: readonly Claim[]) =>
    drawn({
      leaf: { pool: 100n },
      assets: { x: { by: "pool", held: { [ZERO]: 1n, a: 1n } }, y: { by: "pool", held: { [ZERO]: 1n, b: 1n } } },
      backings: { pool: { [LEAF]: { claims: [...read] } } },
    });
  const paths = (read: readonly Claim[]) => attribute(backed(read)).unattributed.map(({ path }) => path.join(">"));
  expect(paths(claims)).toEqual(["leaf>x", "leaf>y"]);
  expect(paths([...claims].reverse())).toEqual(["leaf>x", "leaf>y"]);
});

describe("look-through, on random graphs", () => {
  it("loses nothing and makes nothing: accounts and unattributed sum to the supply", () => {
    fc.assert(
      fc.property(randomBackings(7), (input) => {
        const attribution = attribute(input);
        expect(total(attribution)).toBe(input.leaf.holdings.reduce((sum, one) => sum + one.amount, 0n));
        for (const { amount: left, reason } of attribution.unattributed) {
          expect(left).toBeGreaterThan(0n);
          expect(unattributedReasons).toContain(reason);
        }
        for (const account of attribution.parts.keys()) expect(input.issuers.has(account)).toBe(false);
        expect(attribution.parts.has(ZERO)).toBe(false);
      }),
      { numRuns: 400 },
    );
  });

  it("gives every account what a plain depth-first reckoning gives it, path by path", () => {
    fc.assert(
      fc.property(randomBackings(4), (input) => {
        const { parts } = attribute(input);
        const given = [...parts].map(([account, own]): [string, Map<string, bigint>] => [
          account,
          new Map(own.map(({ path, amount }) => [path.join(">"), amount])),
        ]);
        expect(new Map(given)).toEqual(reckoned(input));
      }),
      { numRuns: 400 },
    );
  });

  it("does not depend on the order in which holdings and claims are read, nor does the order of its own list", () => {
    fc.assert(
      fc.property(randomBackings(6), (input) => {
        const turned = <One>(read: readonly One[]) => [...read].reverse();
        const other: Lookthrough = {
          ...input,
          leaf: { ...input.leaf, holdings: turned(input.leaf.holdings) },
          assets: new Map([...input.assets].map(([id, asset]) => [id, { ...asset, holdings: turned(asset.holdings) }])),
          issuers: new Map(
            [...input.issuers].map(([address, issuer]) => [
              address,
              {
                ...issuer,
                backings: new Map([...issuer.backings].map(([id, b]) => [id, { ...b, claims: turned(b.claims) }])),
              },
            ]),
          ),
        };
        const [one, turnedAround] = [attribute(input), attribute(other)];
        expect(shown(turnedAround)).toEqual(shown(one));
        expect(turnedAround.unattributed).toEqual(one.unattributed);
      }),
      { numRuns: 200 },
    );
  });
});
