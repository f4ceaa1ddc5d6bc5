// core/lookthrough/attribute.ts at every block of a range at once: the same rules, worked out only where something
// changes. Exposures are walked from the leaf outwards; each holder of an asset gets what it holds times what one unit of it
// amounts to, summed over the blocks by differences of a prefix sum. Nothing is rounded before the end (docs/averages.md).
import { LONGEST_PATH, MOST_PATHS_PER_ASSET, type Unattributed } from "../lookthrough/attribute.ts";
import { assetOf, type Backing, issuerOf } from "../lookthrough/backing.ts";
import { splitBacking } from "../lookthrough/split-backing.ts";
import { unattributedInOrder } from "../lookthrough/unattributed-order.ts";
import { ZERO_ADDRESS } from "../zero-address.ts";
import { type BackingSteps, type HeldSpan, type IssuerOver, isPool, type LookthroughOver } from "./backing-over.ts";
import { averageRoundingDown, FRACTION_BITS, weighed } from "./cumulative.ts";
import { passOnPool } from "./pass-on-pool.ts";
import { constant, merged, type Span, type Step, type Steps, sumOfSpans, withoutRepeats } from "./steps.ts";
import { type Exposure, give, Lost, leafOver, type PartOver, type RootedExposure, type Walk } from "./walk.ts";

/** Σ parts + Σ unattributed is the average of Σ holdings of the leaf, less at most 1 for each holder of it that is no issuer. */
export interface AttributionOver {
  parts: ReadonlyMap<string, readonly PartOver[]>;
  unattributed: readonly Unattributed[];
}

/**
 * The averages of what `attribute` gives at the ends of all blocks, as exact fractions rounded down once for each account and
 * path. Before an issuer's block it holds for itself. An asset that is reached along more paths than `attribute` follows, over
 * all blocks together, is cut there as at one block.
 * @throws Error when a claim names an asset that the input does not have
 */
export function attributeOver(input: LookthroughOver): AttributionOver {
  const { from, to, clock, leaf } = input;
  const walk: Walk = {
    input,
    total: clock.at(to + 1) - clock.at(from),
    waiting: [],
    pathsByAsset: new Map(),
    roots: [],
    parts: new Map(),
    unattributed: [],
  };
  const density = constant(from, 1n << FRACTION_BITS);
  walk.waiting.push({
    asset: leaf.id,
    holders: leaf.holders,
    bits: 0n,
    density,
    cumulative: weighed(density, clock),
    path: [leaf.id],
    issuers: [],
    root: undefined,
  });
  // in order of length, so that where there are too many paths the shortest remain
  for (let next = 0; next < walk.waiting.length; next++) giveOut(walk, walk.waiting[next] as Exposure);
  for (const { contract, left } of walk.roots) {
    const amount = averageRoundingDown(left, walk.total);
    if (amount > 0n) walk.unattributed.push({ contract, reason: "rounding", path: [leaf.id], amount });
  }
  return { parts: walk.parts, unattributed: unattributedInOrder(walk.unattributed) };
}

/** Gives one exposure to all who hold its asset. */
function giveOut(walk: Walk, exposure: Exposure): void {
  const { accounts, issuers } = apart(walk, exposure);
  const lost = new Lost();
  for (const [account, sum] of accounts)
    if (account === ZERO_ADDRESS) lost.add(account, "zero-address", sum);
    else give(walk, exposure, { account, sum });
  lost.end(walk, exposure);
  // the order of holdings is the reader's; the outcome must not depend on it
  const inOrder = [...issuers].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [, passing] of inOrder) passOn(walk, rooted(walk, exposure, passing), passing);
}

interface Passing {
  issuer: IssuerOver;
  spans: HeldSpan[];
}

/** What accounts hold, times weight, and what issuers hold, which were accounts before they were issuers. */
function apart(walk: Walk, exposure: Exposure) {
  const accounts = new Map<string, bigint>();
  const issuers = new Map<string, Passing>();
  for (const span of exposure.holders) {
    const { account, from, until, amount } = span;
    const issuer = issuerOf(walk.input, exposure.asset, account);
    const since = issuer ? Math.min(Math.max(issuer.since, from), until) : until;
    if (from < since) {
      const sum = leafOver(exposure, { from, until: since }, amount);
      accounts.set(account, (accounts.get(account) ?? 0n) + sum);
    }
    if (!issuer || since === until) continue;
    const passing = issuers.get(account) ?? { issuer, spans: [] };
    passing.spans.push({ ...span, from: since });
    issuers.set(account, passing);
  }
  return { accounts, issuers };
}

/** What an issuer holds of the leaf is where everything that it hands out comes from. */
function rooted(walk: Walk, exposure: Exposure, { issuer, spans }: Passing): RootedExposure {
  const left = () => spans.reduce((sum, span) => sum + leafOver(exposure, span, span.amount), 0n);
  if (exposure.root) return { ...exposure, root: exposure.root };
  const root = { contract: issuer.address, left: left() };
  walk.roots.push(root);
  return { ...exposure, root };
}

/** What `issuer` holds of the exposure's asset goes on to those who may claim it. */
function passOn(walk: Walk, exposure: RootedExposure, { issuer, spans }: Passing): void {
  const { address: contract } = issuer;
  const lost = new Lost();
  const backing = issuer.backings.get(exposure.asset);
  const isCycle = exposure.issuers.includes(contract) || exposure.path.length > LONGEST_PATH;
  if (backing && isPool(backing) && !isCycle) passOnPool(walk, exposure, { contract, backing, spans, lost });
  else if (backing && !isPool(backing)) passOnSteps(walk, exposure, { contract, backing, spans, lost, isCycle });
  else for (const span of spans) lost.add(contract, backing ? "cycle" : "stray", leafOver(exposure, span, span.amount));
  lost.end(walk, exposure);
}

interface PassingSteps extends Pick<Passing, "spans"> {
  contract: string;
  backing: BackingSteps;
  isCycle: boolean;
  lost: Lost;
}

function passOnSteps(walk: Walk, exposure: RootedExposure, passing: PassingSteps): void {
  const { from: first, to } = walk.input;
  const steps = merged([exposure.density, sumOfSpans(first, passing.spans), passing.backing]);
  const flows = new Map<string, Flow[]>();
  for (const [i, { from, value }] of steps.entries()) {
    const [density, held, backing] = value;
    const until = steps[i + 1]?.from ?? to + 1;
    if (held > 0n && density > 0n)
      passOnStep(walk, { ...passing, bits: exposure.bits, from, until, density, held, backing, flows });
  }
  const { contract, lost } = passing;
  for (const [asset, flow] of flows) extend(walk, exposure, { contract, asset, flow: stepsOf(first, flow), lost });
}

interface PassingStep extends Span, Pick<PassingSteps, "contract" | "lost" | "isCycle">, Pick<Exposure, "bits"> {
  density: bigint;
  held: bigint;
  backing: Backing | undefined;
  /** By asset. */
  flows: Map<string, Flow[]>;
}

function passOnStep({ input: { clock } }: Walk, step: PassingStep): void {
  const { contract, lost, from, until, density, bits, held, backing, flows } = step;
  const weight = density * (clock.at(until) - clock.at(from));
  if (!backing || step.isCycle) {
    lost.add(contract, backing ? "cycle" : "stray", (weight * held) >> bits);
    return;
  }
  const { scale, remainders, claims } = splitBacking(backing, held);
  const scaled = (amount: bigint) => ((amount * scale.numerator) >> bits) / scale.denominator;
  for (const { reason, amount } of remainders) lost.add(contract, reason, scaled(weight * amount));
  for (const { asset, amount } of claims) {
    const flow = flows.get(asset) ?? [];
    flows.set(asset, flow);
    const value = scaled(density * amount);
    const last = flow.at(-1);
    if (last?.from === from) last.value += value;
    else flow.push({ from, until, value });
  }
}

/** Leaf for each block, with `FRACTION_BITS` behind the point. */
interface Flow extends Span {
  value: bigint;
}

/** Ascending flows as steps, nothing between them. */
function stepsOf(first: number, flows: readonly Flow[]): Steps<bigint> {
  const steps: Step<bigint>[] = [];
  let end = first;
  for (const { from, until, value } of flows) {
    if (from > end) steps.push({ from: end, value: 0n });
    steps.push({ from, value });
    end = until;
  }
  return withoutRepeats([...steps, { from: end, value: 0n }]);
}

interface Extension {
  contract: string;
  asset: string;
  flow: Steps<bigint>;
  lost: Lost;
}

/** One path further: to those who hold `asset`. */
function extend(walk: Walk, from: RootedExposure, { contract, asset, flow, lost }: Extension): void {
  const { input } = walk;
  const issued = assetOf(walk.input, asset);
  const paths = (walk.pathsByAsset.get(asset) ?? 0) + 1;
  const isTooMany = paths > MOST_PATHS_PER_ASSET;
  const density: Step<bigint>[] = [];
  const steps = merged([flow, issued.supply]);
  for (const [i, { from: block, value }] of steps.entries()) {
    const [leaf, supply] = value;
    if (leaf > 0n && (supply === 0n || isTooMany)) {
      const until = Math.min(steps[i + 1]?.from ?? input.to + 1, input.to + 1);
      const weight = input.clock.at(until) - input.clock.at(block);
      lost.add(contract, supply === 0n ? "stray" : "cycle", leaf * weight);
    }
    density.push({ from: block, value: supply === 0n ? 0n : leaf / supply });
  }
  if (isTooMany) return;
  walk.pathsByAsset.set(asset, paths);
  const changes = withoutRepeats(density);
  walk.waiting.push({
    asset,
    holders: issued.holders,
    bits: 0n,
    density: changes,
    cumulative: weighed(changes, input.clock),
    path: [...from.path, asset],
    issuers: [...from.issuers, contract],
    root: from.root,
  });
}
