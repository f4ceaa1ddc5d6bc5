// Who holds the leaf at one block when every issuer is replaced by the holders of what it issued: the rules of
// core/lookthrough/attribute.ts in exact fractions, written for being read; and the average over blocks of that.
import { by, floorOf, isLess, least, minus, most, NONE, over, plus, type Rational, ratio, sumUp } from "./rational.ts";
import { ZERO } from "./reference-ledger.ts";

interface Amount {
  amount: Rational;
}

type Holdings = readonly (Amount & { account: string })[];

export interface ExactBacking {
  claims: readonly (Amount & { asset: string })[];
  reserves: readonly (Amount & { reason: string })[];
  expected?: Rational | undefined;
  remainder?: string | undefined;
}

export interface ExactIssuer {
  backings: ReadonlyMap<string, ExactBacking>;
  isAccountOtherwise?: boolean | undefined;
}

export interface ExactBlock {
  leaf: { id: string; holdings: Holdings };
  issuers: ReadonlyMap<string, ExactIssuer>;
  /** By id: who holds it. */
  assets: ReadonlyMap<string, Holdings>;
}

/** Where a part of the leaf ends: at an account, or with a reason at a contract. */
export interface ExactEnd extends Amount {
  account: string;
  reason: string | undefined;
  path: readonly string[];
  /** Contracts passed. */
  issuers: readonly string[];
}

interface Passed extends Pick<ExactEnd, "path" | "issuers"> {
  /** Leaf for one unit of the last asset of the path. */
  perUnit: Rational;
}

/** Everything that the leaf comes to at one block. */
export function attributeExactly(block: ExactBlock): ExactEnd[] {
  const { leaf } = block;
  return leaf.holdings.flatMap((held) => ends(block, { path: [leaf.id], issuers: [], perUnit: ratio(1n) }, held));
}

function ends(block: ExactBlock, passed: Passed, { account, amount }: Holdings[number]): ExactEnd[] {
  const { path, issuers, perUnit } = passed;
  const end = (reason: string | undefined, part: Rational): ExactEnd[] =>
    part.n === 0n ? [] : [{ account, reason, path, issuers, amount: by(perUnit, part) }];
  const issuer = block.issuers.get(account);
  const backing = issuer?.backings.get(path.at(-1) ?? "");
  if (!issuer || (issuer.isAccountOtherwise && !backing))
    return end(account === ZERO ? "zero-address" : undefined, amount);
  if (!backing || issuers.includes(account)) return end(backing ? "cycle" : "stray", amount);
  const owed = sumUp([...backing.claims, ...backing.reserves].map((one) => one.amount));
  const scale = isLess(amount, owed) ? over(amount, owed) : ratio(1n);
  const nobodys = [...backing.reserves, ...(isLess(amount, owed) ? [] : leftOver(backing, { owed, amount }))];
  const claims = backing.claims.filter((claim) => claim.amount.n > 0n);
  return [
    ...nobodys.flatMap((one) => end(one.reason, by(scale, one.amount))),
    ...claims.flatMap((claim) => {
      const holders = block.assets.get(claim.asset) ?? [];
      const supply = sumUp(holders.map((one) => one.amount));
      const claimed = by(scale, claim.amount);
      if (supply.n === 0n) return end("stray", claimed);
      const next = {
        ...{ path: [...path, claim.asset], issuers: [...issuers, account] },
        perUnit: by(perUnit, over(claimed, supply)),
      };
      return holders.flatMap((held) => ends(block, next, held));
    }),
  ];
}

function leftOver({ expected, remainder }: ExactBacking, { owed, amount }: Amount & { owed: Rational }) {
  if (remainder) return [{ reason: remainder, amount: minus(amount, owed) }];
  const accounted = expected === undefined ? owed : most(owed, least(expected, amount));
  return [
    { reason: "rounding", amount: minus(accounted, owed) },
    { reason: "stray", amount: minus(amount, accounted) },
  ];
}

export interface ExactAverages {
  /** `<account> <path>` with amounts above zero, ascending. */
  parts: [string, bigint][];
  /** `<contract> <reason> <path>` with amounts above zero, ascending. */
  unattributed: [string, bigint][];
}

/** So little below a whole number is that number (docs/adr/0025). */
const GUARD = ratio(1n, 1n << 128n);

/** Of which contract's holding of the leaf it is a part. */
const rootOf = ({ account, reason, issuers }: ExactEnd): string | undefined =>
  issuers[0] ?? (reason === undefined || reason === "zero-address" ? undefined : account);

/** Σ of {@link ExactEnd}s that end in the same way, and what contracts hold of `leaf`. */
export class ExactSums {
  readonly #leaf: string;
  readonly #sums = new Map<string, ExactEnd>();
  readonly #roots = new Map<string, Rational>();
  #total = 0n;

  constructor(leaf: string) {
    this.#leaf = leaf;
  }

  /** One block that weighs `weight`. */
  add(block: ExactBlock, weight: bigint): void {
    this.#total += weight;
    for (const { account, amount } of block.leaf.holdings) {
      const issuer = block.issuers.get(account);
      if (!issuer || (issuer.isAccountOtherwise && !issuer.backings.has(block.leaf.id))) continue;
      this.#roots.set(account, plus(this.#roots.get(account) ?? NONE, by(amount, ratio(weight))));
    }
    for (const end of attributeExactly(block)) {
      const amount = by(end.amount, ratio(weight));
      // what is left of the leaf itself in the end
      if (end.reason === "rounding" && end.path.length === 1) continue;
      const key = JSON.stringify([end.account, end.reason ?? null, end.path, end.issuers]);
      this.#sums.set(key, { ...end, amount: plus(this.#sums.get(key)?.amount ?? NONE, amount) });
    }
  }

  /** The averages, rounded down once for each account (or contract and reason) and path. */
  averages(): ExactAverages {
    const parts: [string, bigint][] = [];
    const unattributed: [string, bigint][] = [];
    for (const end of this.#sums.values()) {
      const amount = this.#averageOf(end.amount);
      this.#takeOut(rootOf(end), amount);
      const list = end.reason === undefined ? parts : unattributed;
      const words = [end.account, end.reason, end.path.join(">")].filter((word) => word !== undefined);
      if (amount > 0n) list.push([words.join(" "), amount]);
    }
    for (const [contract, left] of this.#roots) {
      const amount = this.#averageOf(left);
      if (amount > 0n) unattributed.push([`${contract} rounding ${this.#leaf}`, amount]);
    }
    return { parts: parts.sort(), unattributed: unattributed.sort() };
  }

  #averageOf(sum: Rational): bigint {
    const amount = floorOf(plus(over(sum, ratio(this.#total)), GUARD));
    return amount > 0n ? amount : 0n;
  }

  #takeOut(root: string | undefined, amount: bigint): void {
    const left = root === undefined ? undefined : this.#roots.get(root);
    if (root !== undefined && left) this.#roots.set(root, minus(left, ratio(amount * this.#total)));
  }
}
