// The recursion that replaces every issuer by the holders of what it issued, down to accounts that issue nothing. It
// walks exposures (what one unit of an asset amounts to in the leaf, along one path) from the leaf outwards, each
// worked out once, and multiplies them with holdings.
import { ZERO_ADDRESS } from "../zero-address.ts";
import {
  type Asset,
  assetOf,
  type Backing,
  type Claim,
  type Holding,
  type Issuer,
  issuerOf,
  type Lookthrough,
  type UnattributedReason,
} from "./backing.ts";
import { type Fraction, ONE, times, timesRoundingDown } from "./fraction.ts";
import { type SplitBacking, splitBacking } from "./split-backing.ts";
import { unattributedInOrder } from "./unattributed-order.ts";

/**
 * An asset reached along more paths than this, or a longer path, is treated like a cycle: anyone can build contracts
 * that hold each other's shares in factorially many ways.
 */
export const MOST_PATHS_PER_ASSET = 64;
export const LONGEST_PATH = 32;

/** Asset ids from the leaf to what the account itself holds. */
export type Path = readonly string[];

/** Raw units of the leaf, rounded down once. */
export interface Part {
  path: Path;
  amount: bigint;
  /** The principal within `amount`, where the claim distinguishes principal and fees. */
  principal: bigint | undefined;
}

export interface Unattributed {
  /** Where it ends: the issuer that cannot pass it on, or the zero address. */
  contract: string;
  reason: UnattributedReason;
  path: Path;
  amount: bigint;
}

/** A contract that owes more of an asset than it holds, by how much, in that asset's units. */
export interface Shortfall {
  contract: string;
  asset: string;
  amount: bigint;
  held: bigint;
}

/** Σ parts + Σ unattributed = Σ holdings of the leaf, exactly. Amounts of 0 are left out. */
export interface Attribution {
  parts: ReadonlyMap<string, readonly Part[]>;
  unattributed: readonly Unattributed[];
  shortfalls: readonly Shortfall[];
}

/** An issuer's own holding of the leaf: what is handed out of it is subtracted, what is left is rounding. */
interface Root {
  contract: string;
  left: bigint;
}

/** One unit of an asset along one path, in the leaf. */
interface Exposure {
  asset: string;
  holdings: readonly Holding[];
  perUnit: Fraction;
  principalPart: Fraction | undefined;
  path: Path;
  /** Issuers passed on the way here. */
  issuers: readonly string[];
  root: Root | undefined;
}

interface Walk {
  input: Lookthrough;
  waiting: Exposure[];
  pathsByAsset: Map<string, number>;
  supplies: Map<string, bigint>;
  splits: Map<string, SplitBacking>;
  roots: Root[];
  parts: Map<string, Part[]>;
  unattributed: Unattributed[];
  shortfalls: Shortfall[];
}

/**
 * Attributes every unit of the leaf.
 *
 * - An issuer is never given anything: what it holds of a declared backing goes to the holders of the assets that claim
 *   it, pro rata to the claims when it holds less than it owes; anything else it holds is `stray`, or its own where it
 *   is an account otherwise.
 * - A cycle is cut where it closes: what an issuer holds on a path that has passed it already is `cycle`.
 * - Shares are exact fractions, rounded down once per account and path; what that leaves over is `rounding` of the
 *   issuer that holds the leaf.
 *
 * @throws Error when a claim names an asset that the input does not have
 */
export function attribute(input: Lookthrough): Attribution {
  const walk: Walk = {
    input,
    waiting: [],
    pathsByAsset: new Map(),
    supplies: new Map(),
    splits: new Map(),
    roots: [],
    parts: new Map(),
    unattributed: [],
    shortfalls: [],
  };
  const { id, holdings } = input.leaf;
  walk.waiting.push({
    asset: id,
    holdings,
    perUnit: ONE,
    principalPart: undefined,
    path: [id],
    issuers: [],
    root: undefined,
  });
  // in order of length, so that where there are too many paths the shortest remain
  for (let next = 0; next < walk.waiting.length; next++) giveOut(walk, walk.waiting[next] as Exposure);
  for (const { contract, left } of walk.roots) leave(walk, { contract, reason: "rounding", path: [id], amount: left });
  return { parts: walk.parts, unattributed: unattributedInOrder(walk.unattributed), shortfalls: walk.shortfalls };
}

/** Gives one exposure to all who hold its asset. */
function giveOut(walk: Walk, exposure: Exposure): void {
  const issuers: { issuer: Issuer; amount: bigint }[] = [];
  for (const { account, amount } of exposure.holdings) {
    const issuer = issuerOf(walk.input, exposure.asset, account);
    if (issuer) issuers.push({ issuer, amount });
    else if (account === ZERO_ADDRESS) lose(walk, exposure, { contract: account, reason: "zero-address", amount });
    else give(walk, exposure, { account, amount });
  }
  // the order of holdings is the reader's; the outcome must not depend on it
  issuers.sort((a, b) => (a.issuer.address < b.issuer.address ? -1 : 1));
  for (const held of issuers) passOn(walk, exposure, held);
}

function give(walk: Walk, exposure: Exposure, { account, amount }: Holding): void {
  const { perUnit, principalPart, path, root } = exposure;
  const given = timesRoundingDown(perUnit, amount);
  if (given === 0n) return;
  if (root) root.left -= given;
  const principal = principalPart && principalOf(perUnit, principalPart, amount);
  const part = { path, amount: given, principal };
  const parts = walk.parts.get(account);
  if (parts) parts.push(part);
  else walk.parts.set(account, [part]);
}

const principalOf = (perUnit: Fraction, part: Fraction, amount: bigint): bigint =>
  perUnit === ONE && part.denominator === amount ? part.numerator : timesRoundingDown(times(perUnit, part), amount);

/** What `issuer` holds of the exposure's asset goes on to those who may claim it. */
function passOn(walk: Walk, exposure: Exposure, { issuer, amount }: { issuer: Issuer; amount: bigint }): void {
  const contract = issuer.address;
  const backing = issuer.backings.get(exposure.asset);
  if (!backing) {
    lose(walk, exposure, { contract, reason: "stray", amount });
    return;
  }
  if (exposure.issuers.includes(contract) || exposure.path.length > LONGEST_PATH) {
    lose(walk, exposure, { contract, reason: "cycle", amount });
    return;
  }
  const from = exposure.root ? exposure : rooted(walk, exposure, { contract, left: amount });
  const { scale, remainders, claims } = splitOf(walk, { backing, contract, asset: exposure.asset, held: amount });
  for (const remainder of remainders) lose(walk, from, { contract, ...remainder, scale });
  const through = {
    contract,
    scale,
    perUnit: scale === ONE ? from.perUnit : times(from.perUnit, scale),
    issuers: [...from.issuers, contract],
  };
  for (const claim of claims) extend(walk, from, { ...through, claim });
}

function rooted(walk: Walk, exposure: Exposure, root: Root): Exposure {
  walk.roots.push(root);
  return { ...exposure, root };
}

interface Extension {
  contract: string;
  claim: Claim;
  scale: Fraction;
  /** The claim's part of what the issuer holds, scaled. */
  perUnit: Fraction;
  issuers: readonly string[];
}

/** One path further: to those who hold what `claim` names. */
function extend(walk: Walk, from: Exposure, { contract, claim, scale, perUnit, issuers }: Extension): void {
  const { asset, amount, principal } = claim;
  const issued = assetOf(walk.input, asset);
  const supply = supplyOf(walk, issued);
  const paths = (walk.pathsByAsset.get(asset) ?? 0) + 1;
  if (supply === 0n || paths > MOST_PATHS_PER_ASSET) {
    lose(walk, from, { contract, reason: supply === 0n ? "stray" : "cycle", amount, scale });
    return;
  }
  walk.pathsByAsset.set(asset, paths);
  const exposure = {
    asset,
    holdings: issued.holdings,
    perUnit: amount === supply ? perUnit : times(perUnit, { numerator: amount, denominator: supply }),
    principalPart: principal === undefined ? undefined : { numerator: principal, denominator: amount },
    path: [...from.path, asset],
    issuers,
    root: from.root,
  };
  const [only] = issued.holdings;
  // most positions belong to one account, and there are many of them: these need not wait
  if (only && issued.holdings.length === 1 && isAccount(walk, asset, only)) give(walk, exposure, only);
  else walk.waiting.push(exposure);
}

const isAccount = (walk: Walk, asset: string, { account }: Holding): boolean =>
  account !== ZERO_ADDRESS && !issuerOf(walk.input, asset, account);

/** `amount` of the exposure's asset, times `scale`, belongs to nobody. */
function lose(
  walk: Walk,
  { perUnit, path, root }: Exposure,
  lost: { contract: string; reason: UnattributedReason; amount: bigint; scale?: Fraction },
): void {
  const { contract, reason, scale = ONE } = lost;
  const amount = timesRoundingDown(times(perUnit, scale), lost.amount);
  if (root) root.left -= amount;
  leave(walk, { contract, reason, path, amount });
}

function leave(walk: Walk, unattributed: Unattributed): void {
  if (unattributed.amount > 0n) walk.unattributed.push(unattributed);
}

/** The same for every path that leads here: an account holds an asset once. */
function splitOf(walk: Walk, place: { backing: Backing; contract: string; asset: string; held: bigint }): SplitBacking {
  const { backing, contract, asset, held } = place;
  const key = `${contract} ${asset}`;
  const stored = walk.splits.get(key);
  if (stored) return stored;
  const split = splitBacking(backing, held);
  walk.splits.set(key, split);
  if (split.shortfall > 0n) walk.shortfalls.push({ contract, asset, amount: split.shortfall, held });
  return split;
}

function supplyOf({ supplies }: Walk, { id, holdings }: Asset): bigint {
  const [only] = holdings;
  if (only && holdings.length === 1) return only.amount;
  const stored = supplies.get(id);
  if (stored !== undefined) return stored;
  const supply = holdings.reduce((sum, { amount }) => sum + amount, 0n);
  supplies.set(id, supply);
  return supply;
}
