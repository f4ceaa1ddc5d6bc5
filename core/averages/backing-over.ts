// What stands behind holdings over a range of blocks: core/lookthrough/backing.ts with time.
import type { Backing } from "../lookthrough/backing.ts";
import type { Cumulative } from "./cumulative.ts";
import type { Span, Steps } from "./steps.ts";

/** `amount` above zero; the spans of one account do not overlap. */
export interface HeldSpan extends Span {
  account: string;
  amount: bigint;
}

/** Something issued. */
export interface AssetOver {
  id: string;
  issuer: string;
  /** What all hold together. */
  supply: Steps<bigint>;
  /** Holdings of everybody, or of those that are asked about. */
  holders: readonly HeldSpan[];
}

/** One owner's claim to a position in a pool, while nothing of it changes. */
export interface ClaimSpan extends Span {
  /** The position's asset; undefined where nobody can claim it, which makes it stray. */
  asset: string | undefined;
  owner: string;
}

/** What a pool holds of one token: claims of positions, which change with every swap. */
export interface PoolBacking {
  claims: readonly ClaimSpan[];
  /** Σ weight · claim of each of `claims`, as exact fractions, scaled like `weight`. */
  weigh(weight: Cumulative): readonly bigint[];
  /** The claim at place `index` of `claims` over its span, with `FRACTION_BITS` behind the point. */
  claimSteps(index: number): Steps<bigint>;
  protocolFees: Steps<bigint>;
  /** What the pool's own events say it holds. */
  expected: Steps<bigint>;
  /** From this block on the pool's state is unknown. */
  stoppedFrom: number;
  /**
   * `claims` are only some of the claims, of a pool that never holds less than its events say: only they matter, and what else the pool
   * holds is not needed.
   */
  isPartial?: boolean | undefined;
}

/** Undefined where the issuer is not there to hold it. */
export type BackingSteps = Steps<Backing | undefined>;

export interface IssuerOver {
  address: string;
  /** From this block on it is an issuer, and no account. */
  since: number;
  /**
   * By the id of the asset held. Amounts are in the unit of holdings of that asset: of positions they have
   * `FRACTION_BITS` behind the point.
   */
  backings: ReadonlyMap<string, BackingSteps | PoolBacking>;
  /** If true, what is not listed is not stray: the address holds it for itself, as any account does. */
  isAccountOtherwise?: boolean | undefined;
}

export const isPool = (backing: BackingSteps | PoolBacking): backing is PoolBacking => "claims" in backing;

/** The question of core/lookthrough/attribute.ts at the end of every block of [from, to] at once. */
export interface LookthroughOver {
  from: number;
  to: number;
  /** What blocks weigh, in whole numbers; up to `to + 1`. */
  clock: Cumulative;
  leaf: { id: string; holders: readonly HeldSpan[] };
  issuers: ReadonlyMap<string, IssuerOver>;
  /** By id; every asset that a claim names, positions aside. */
  assets: ReadonlyMap<string, AssetOver>;
}
