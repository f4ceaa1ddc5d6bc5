// What a v3 pool holds goes to the owners of its positions. Claims change with every swap, so they are not followed one by one: the
// pool sums them up under the weight that reaches it.
import { MOST_PATHS_PER_ASSET } from "../lookthrough/attribute.ts";
import { issuerOf } from "../lookthrough/backing.ts";
import { type Fraction, ONE } from "../lookthrough/fraction.ts";
import { ZERO_ADDRESS } from "../zero-address.ts";
import type { ClaimSpan, HeldSpan, PoolBacking } from "./backing-over.ts";
import { FRACTION_BITS, weighed } from "./cumulative.ts";
import { constant, merged, type Span, type Step, type Steps, sumOfSpans, withoutRepeats } from "./steps.ts";
import { type Exposure, give, type Lost, leafOver, type RootedExposure, type Walk } from "./walk.ts";

interface Passing {
  contract: string;
  backing: PoolBacking;
  spans: readonly HeldSpan[];
  lost: Lost;
}

export function passOnPool(walk: Walk, exposure: RootedExposure, passing: Passing): void {
  const { contract, backing, spans, lost } = passing;
  if (backing.isPartial) {
    const { density, cumulative } = exposure;
    if (!isPathTooMany(walk, `${contract} ${exposure.asset}`))
      handOut(walk, exposure, { ...passing, claims: backing.weigh(cumulative), density });
    return;
  }
  const running: HeldSpan[] = [];
  for (const span of spans) {
    const { from, until } = span;
    const stop = Math.min(Math.max(from, backing.stoppedFrom), until);
    if (from < stop) running.push({ ...span, until: stop });
    if (stop < until) lost.add(contract, "stopped", leafOver(exposure, { from: stop, until }, span.amount));
  }
  if (running.length === 0) return;
  const held = sumOfSpans(walk.input.from, running);
  const divided =
    divide(walk, exposure, { backing, held, scale: scaleOf(walk, { backing, held, isEverywhere: false }) }) ??
    divide(walk, exposure, { backing, held, scale: scaleOf(walk, { backing, held, isEverywhere: true }) });
  if (!divided) throw new Error(`what positions of ${contract} may claim is more than it holds`);
  lost.add(contract, "protocol-fee", divided.protocolFees);
  lost.add(contract, "stray", divided.surplus);
  lost.add(contract, "rounding", divided.rounding);
  if (isPathTooMany(walk, `${contract} ${exposure.asset}`))
    for (const sum of divided.claims) lost.add(contract, "cycle", sum);
  else handOut(walk, exposure, { ...passing, ...divided });
}

function isPathTooMany({ pathsByAsset }: Walk, side: string): boolean {
  const paths = (pathsByAsset.get(side) ?? 0) + 1;
  pathsByAsset.set(side, paths);
  return paths > MOST_PATHS_PER_ASSET;
}

/** Sums of leaf times weight; `density` is what reaches claims. */
interface Divided {
  claims: readonly bigint[];
  protocolFees: bigint;
  surplus: bigint;
  rounding: bigint;
  density: Steps<bigint>;
}

interface Side {
  backing: PoolBacking;
  held: Steps<bigint>;
  scale: Steps<Fraction>;
}

/** Undefined where claims come to more than `held`, so that `scale` cannot be right. */
function divide(walk: Walk, exposure: Exposure, { backing, held, scale }: Side): Divided | undefined {
  const { clock, to } = walk.input;
  const steps = merged([exposure.density, held, scale, backing.expected, backing.protocolFees]);
  const density: Step<bigint>[] = [];
  let [all, surplus, protocolFees] = [0n, 0n, 0n];
  for (const [i, { from, value }] of steps.entries()) {
    const [leaf, amount, part, expected, fees] = value;
    const through = amount === 0n ? 0n : part === ONE ? leaf : (leaf * part.numerator) / part.denominator;
    density.push({ from, value: through });
    if (through === 0n) continue;
    const weight = clock.at(steps[i + 1]?.from ?? to + 1) - clock.at(from);
    all += leaf * weight * amount;
    protocolFees += through * weight * fees;
    if (part === ONE && amount > expected) surplus += leaf * weight * (amount - expected);
  }
  const changes = withoutRepeats(density);
  const claims = backing.weigh(weighed(changes, clock));
  const rounding = claims.reduce((left, sum) => left - sum, all - protocolFees - surplus);
  if (rounding < -(walk.total << ERROR_BITS)) return undefined;
  return { claims, protocolFees, surplus, rounding, density: changes };
}

/** Fixed-point sums err by less. */
const ERROR_BITS = FRACTION_BITS - 128n;

/** The part of every claim that is really there: less than 1 where a pool holds less than its events say. */
function scaleOf(
  { input }: Walk,
  { backing, held, isEverywhere }: { backing: PoolBacking; held: Steps<bigint>; isEverywhere: boolean },
): Steps<Fraction> {
  const { from, to } = input;
  const isShort = ([amount, expected]: readonly [bigint, bigint]) => isEverywhere || amount < expected;
  const both = merged([held, backing.expected]);
  const short = both.flatMap(({ from, value }, i) =>
    isShort(value) ? [{ from, until: both[i + 1]?.from ?? to + 1 }] : [],
  );
  if (short.length === 0) return constant(from, ONE);
  const owed = merged([owedOver(from, backing, short), held, backing.expected, backing.protocolFees]);
  return owed.map(({ from, value }) => {
    const [claims, amount, expected, fees] = value;
    const [numerator, denominator] = [amount << FRACTION_BITS, claims + (fees << FRACTION_BITS)];
    const isLess = isShort([amount, expected]) && denominator > numerator;
    return { from, value: isLess ? { numerator, denominator } : ONE };
  });
}

/** All claims together wherever they lie in `short`, with `FRACTION_BITS` behind the point. */
function owedOver(first: number, { claims, claimSteps }: PoolBacking, short: readonly Span[]): Steps<bigint> {
  const amounts: (Span & { amount: bigint })[] = [];
  for (const [i, { from, until }] of claims.entries()) {
    if (!short.some((one) => one.from < until && one.until > from)) continue;
    const steps = claimSteps(i);
    for (const [n, step] of steps.entries())
      amounts.push({ from: step.from, until: steps[n + 1]?.from ?? until, amount: step.value });
  }
  return sumOfSpans(first, amounts);
}

/** Each claim to its owner. An owner that is an issuer passes it on as what it holds of the position. */
function handOut(walk: Walk, exposure: RootedExposure, passing: Passing & Pick<Divided, "claims" | "density">): void {
  const { contract, backing, claims, density, lost } = passing;
  const owners = new Map<string, Map<string, bigint>>();
  const passed = new Map<string, HeldSpan[]>();
  for (const [i, { asset, owner }] of backing.claims.entries()) {
    const sum = claims[i] as bigint;
    if (asset === undefined) lost.add(contract, "stray", sum);
    else if (owner === ZERO_ADDRESS || issuerOf(walk.input, asset, owner))
      passed.set(asset, [...(passed.get(asset) ?? []), ...heldSteps(backing, i)]);
    else addTo(owners, { asset, owner, sum });
  }
  const { root, issuers } = exposure;
  const pathOf = (asset: string) => [...exposure.path, asset];
  for (const [asset, sums] of owners) {
    const path = pathOf(asset);
    for (const [account, sum] of sums) give(walk, { path, root }, { account, sum });
  }
  const cumulative = weighed(density, walk.input.clock);
  for (const [asset, holders] of passed)
    walk.waiting.push({
      asset,
      holders,
      bits: FRACTION_BITS,
      density,
      cumulative,
      path: pathOf(asset),
      issuers: [...issuers, contract],
      root,
    });
}

function addTo(
  owners: Map<string, Map<string, bigint>>,
  { asset, owner, sum }: { asset: string; owner: string; sum: bigint },
): void {
  const sums = owners.get(asset);
  if (!sums) owners.set(asset, new Map([[owner, sum]]));
  else sums.set(owner, (sums.get(owner) ?? 0n) + sum);
}

/** A claim as what its owner holds of the position. */
function heldSteps({ claims, claimSteps }: PoolBacking, index: number): HeldSpan[] {
  const { owner: account, until } = claims[index] as ClaimSpan;
  const steps = claimSteps(index);
  return steps.flatMap(({ from, value: amount }, i) =>
    amount > 0n ? [{ account, from, until: steps[i + 1]?.from ?? until, amount }] : [],
  );
}
