// Random graphs of issuers: pairs (all they hold is claimed), 1:1 stakes, vaults that owe more or less than they hold,
// positions with a single owner, stopped pools; nested, in cycles, holding their own shares, with zero supplies.
import fc from "fast-check";
import type { Asset, Backing, Issuer, Lookthrough } from "../../core/lookthrough/backing.ts";
import { ZERO } from "./reference-ledger.ts";

export const LEAF = "leaf";

const amount = fc.oneof(
  fc.bigInt({ min: 1n, max: 20n }),
  fc.bigInt({ min: 1n, max: 10n ** 24n }),
  fc.bigInt({ min: 1n, max: (1n << 256n) - 1n }),
);

const heldBy = (holders: fc.Arbitrary<string>, limits: { minLength: number; maxLength: number }) =>
  fc.uniqueArray(fc.record({ account: holders, amount }), { ...limits, selector: ({ account }) => account });

const declarations = (names: readonly string[]) =>
  fc.record({
    from: fc.subarray([LEAF, ...names], { minLength: 1 }),
    kind: fc.constantFrom("all", "less", "more", "stopped"),
    cut: fc.bigInt({ min: 0n, max: 100n }),
    fee: fc.bigInt({ min: 0n, max: 10n }),
    expected: fc.option(amount, { nil: undefined }),
  });

type Declaration = ReturnType<typeof declarations> extends fc.Arbitrary<infer D> ? D : never;

function backingOf({ kind, cut, fee, expected }: Declaration, place: { asset: string; held: bigint }): Backing {
  if (kind === "stopped") return { claims: [], reserves: [], remainder: "stopped" };
  const claimed = { all: place.held, less: (place.held * cut) / 100n, more: place.held * 3n + cut }[kind];
  return {
    claims: [{ asset: place.asset, amount: claimed }],
    reserves: [{ reason: "protocol-fee", amount: kind === "all" ? 0n : fee }],
    ...(expected === undefined ? {} : { expected }),
  };
}

/** At most `most` issuers with one asset each, and accounts a, b, c and the zero address. */
export const randomBackings = (most: number): fc.Arbitrary<Lookthrough> =>
  fc.integer({ min: 1, max: most }).chain((count) => {
    const names = Array.from({ length: count }, (_, i) => `i${i}`);
    const holders = fc.constantFrom("a", "b", "c", ZERO, ...names);
    const position = fc.record({ account: holders, amount }).map((one) => [one]);
    const each = { minLength: count, maxLength: count };
    return fc
      .record({
        leaf: heldBy(holders, { minLength: 1, maxLength: 8 }),
        issued: fc.array(fc.oneof(position, heldBy(holders, { minLength: 0, maxLength: 5 })), each),
        declared: fc.array(declarations(names), each),
      })
      .map(({ leaf, issued, declared }) => {
        const assets = new Map<string, Asset>(
          names.map((issuer, i) => [`s-${issuer}`, { id: `s-${issuer}`, issuer, holdings: issued[i] ?? [] }]),
        );
        const heldOf = (account: string, id: string) =>
          (assets.get(id)?.holdings ?? leaf).find((one) => one.account === account)?.amount ?? 0n;
        const issuers = new Map<string, Issuer>(
          names.map((address, i) => {
            const declaration = declared[i] as Declaration;
            const ids = declaration.from.map((name) => (name === LEAF ? LEAF : `s-${name}`));
            const backings = ids.map((id): [string, Backing] => [
              id,
              backingOf(declaration, { asset: `s-${address}`, held: heldOf(address, id) }),
            ]);
            return [address, { address, backings: new Map(backings) }];
          }),
        );
        return { leaf: { id: LEAF, holdings: leaf }, assets, issuers };
      });
  });
