// What stands behind a holding. An *asset* is anything an address can hold: the token asked about (the leaf), or
// something that an *issuer* gives out against what it holds itself. Everything here is as of one block.

/** Why a part of the supply cannot be attributed to any account. The list is closed. */
export const unattributedReasons = [
  "protocol-fee",
  "manager-fee",
  "rewards",
  "incentives",
  "launch-curve",
  "zero-address",
  "stray",
  "cycle",
  "rounding",
  "stopped",
  "waiting",
  "undetermined",
] as const;
export type UnattributedReason = (typeof unattributedReasons)[number];

/** Amounts are above zero, in the asset's own smallest unit; addresses are lower-case. */
export interface Holding {
  account: string;
  amount: bigint;
}

/** Something issued. The sum of its holdings is its supply: each account appears once, the zero address too. */
export interface Asset {
  id: string;
  /** The contract whose holdings stand behind it. */
  issuer: string;
  holdings: readonly Holding[];
}

/** What all holders of `asset` together may take out of a backing, in units of the backing, as the contract counts. */
export interface Claim {
  asset: string;
  amount: bigint;
  /** The part of `amount` that is principal; the rest are fees. Left out where the two are one. */
  principal?: bigint | undefined;
}

/** What the issuer holds of one asset that it is there to hold, and who may take how much of it. */
export interface Backing {
  claims: readonly Claim[];
  /** What belongs to nobody yet by the contract's own account. */
  reserves: readonly { reason: UnattributedReason; amount: bigint }[];
  /**
   * How much the issuer's own events say it holds. Beyond it everything is `stray`, up to it what nobody may claim is
   * `rounding`. Without it whatever nobody may claim is `stray`.
   */
  expected?: bigint;
  /** One reason for everything that nobody may claim, instead of the rule above. */
  remainder?: UnattributedReason;
  /** Ids of assets that no claim names and whose holders decide the amounts of claims all the same. */
  needs?: readonly string[];
}

export interface Issuer {
  address: string;
  /** By the id of the asset held. What is not listed here is not passed on: it is `stray`. */
  backings: ReadonlyMap<string, Backing>;
  /** If true, what is not listed is not stray: the address holds it for itself, as any account does. */
  isAccountOtherwise?: boolean;
}

/** The question: who holds the leaf when every issuer is replaced by the holders of what it issued? */
export interface Lookthrough {
  leaf: { id: string; holdings: readonly Holding[] };
  issuers: ReadonlyMap<string, Issuer>;
  /** By id; every asset that a claim names. */
  assets: ReadonlyMap<string, Asset>;
}

interface HoldsForItself {
  backings: { has(asset: string): boolean };
  isAccountOtherwise?: boolean | undefined;
}

/** `account`, where it is an issuer that does not hold `asset` for itself. */
export function issuerOf<I extends HoldsForItself>(
  { issuers }: { issuers: ReadonlyMap<string, I> },
  asset: string,
  account: string,
): I | undefined {
  const issuer = issuers.get(account);
  return issuer?.isAccountOtherwise && !issuer.backings.has(asset) ? undefined : issuer;
}

/** @throws Error for one that is missing */
export function assetOf<A>({ assets }: { assets: ReadonlyMap<string, A> }, id: string): A {
  const asset = assets.get(id);
  if (!asset) throw new Error(`a claim names ${id}, which is not among the assets`);
  return asset;
}
