// An amount over several legs, before gas. It begins with a few large pieces, each on the path that is best for it then;
// then, as long as some path would make more of the next unit than the legs do, it becomes a leg, and amounts are balanced.
import { balanceLegs, levelOf, marginOf, pushLegs } from "./balance-legs.ts";
import type { DraftLeg } from "./draft-leg.ts";
import type { PathFinder } from "./find-path.ts";
import type { Flow } from "./flow.ts";
import { reachOf, type SearchTerms } from "./search-terms.ts";

export interface Splitter {
  readonly terms: SearchTerms;
  readonly flow: Flow;
  readonly finder: PathFinder;
  /** Whether legs may pass the same pool. */
  readonly isShared: boolean;
}

const PIECES = 4;
const MOST_HALVINGS = 7;
/** The parts of the amount that look for another leg: large ones find deep paths, small ones what is best at the margin. */
const PROBES = [0.01, 0.001, 0.0001];
const MOST_ROUNDS = 16;
/** A leg that makes less of the next unit than this above the others is not worth looking for. */
const FINEST = 1e-6;
/** Legs below this part of the amount are dropped. */
const LEAST_SHARE = 1e-3;

/** Legs that together take the amount, balanced; undefined when the pools cannot take it. */
export function splitAmount(splitter: Splitter): DraftLeg[] | undefined {
  const first = layPieces(splitter);
  if (first === undefined) return undefined;
  const value = balanceLegs(splitter.flow, first);
  if (value === Number.NEGATIVE_INFINITY) return undefined;
  return withoutCrumbs(splitter, addLegs(splitter, first, value));
}

/** More legs, one at a time, as long as they do good. */
function addLegs(splitter: Splitter, first: DraftLeg[], firstValue: number): DraftLeg[] {
  let legs = first;
  let value = firstValue;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const edges = betterPath(splitter, legs);
    if (edges === undefined) break;
    const more: DraftLeg[] = [...legs.map((leg) => ({ ...leg })), { edges, amount: 0 }];
    const raised = balanceLegs(splitter.flow, more);
    const gain = raised - value;
    if (!(gain > 0)) break;
    legs = more.filter((leg) => leg.amount > 0);
    value = raised;
    if (gain < FINEST * 0.1 * Math.abs(value) || legs.length > splitter.terms.maxLegs) break;
  }
  return legs;
}

/** The first legs: equal pieces, smaller ones where no path takes a whole piece. */
function layPieces(splitter: Splitter): DraftLeg[] | undefined {
  const { terms, flow } = splitter;
  flow.clear();
  const legs: DraftLeg[] = [];
  let piece = terms.amount / PIECES;
  const least = piece / 2 ** MOST_HALVINGS;
  let left = terms.amount;
  while (left > terms.amount * 1e-12) {
    const amount = Math.min(piece, left);
    const edges = pathForPiece(splitter, legs, amount);
    if (edges === undefined) {
      piece /= 2;
      if (piece < least) return undefined;
      continue;
    }
    if (!pushAll(flow, edges, amount)) return undefined;
    const same = legs.find((leg) => isSamePath(leg.edges, edges));
    if (same === undefined) legs.push({ edges, amount });
    else same.amount += amount;
    left -= amount;
  }
  return legs;
}

function pathForPiece(
  { terms, flow, finder, isShared }: Splitter,
  legs: readonly DraftLeg[],
  amount: number,
): readonly number[] | undefined {
  const extended = isShared ? undefined : bestExtension(flow, legs, amount);
  const found = finder.find({
    amount,
    gasShare: amount / terms.amount,
    above: extended?.value ?? Number.NEGATIVE_INFINITY,
    beam: 1,
    ...(legs.length > 0 ? { reach: reachOf(terms.graph, flow.rate, terms) } : {}),
    isBlocked: isShared ? undefined : poolsOf(terms, legs),
  });
  return found?.edges ?? extended?.leg.edges;
}

function pushAll(flow: Flow, edges: readonly number[], amount: number): boolean {
  let passing = amount;
  for (const edge of edges) passing = flow.push(edge, passing);
  return passing > 0;
}

/** The leg that makes the most of `amount` more, before gas. */
function bestExtension(
  flow: Flow,
  legs: readonly DraftLeg[],
  amount: number,
): { leg: DraftLeg; value: number } | undefined {
  let best: { leg: DraftLeg; value: number } | undefined;
  for (const leg of legs) {
    let end = amount;
    for (const edge of leg.edges) end = end < 0 ? end : flow.convert(edge, end);
    const value = end < 0 ? Number.NEGATIVE_INFINITY : flow.isForward ? end : -end;
    if (end > 0 && value > (best?.value ?? Number.NEGATIVE_INFINITY)) best = { leg, value };
  }
  return best;
}

/** A path, none of the legs', that makes more of a small amount than the legs make of their last units. */
function betterPath(
  { terms, flow, finder, isShared }: Splitter,
  legs: readonly DraftLeg[],
): readonly number[] | undefined {
  const level = levelOf(
    legs,
    legs.map(({ edges }) => marginOf(flow, edges)),
  );
  const isBlocked = isShared ? undefined : poolsOf(terms, legs);
  const reach = reachOf(terms.graph, flow.rate, terms);
  for (const part of PROBES) {
    const amount = terms.amount * part;
    const above = (level + Math.abs(level) * FINEST) * amount;
    // no leg gains more than what the margins differ by, were it for the whole amount
    const found = finder.find({ amount, gasShare: part, above, beam: 1, reach, isBlocked });
    if (found !== undefined && !legs.some((leg) => isSamePath(leg.edges, found.edges))) return found.edges;
  }
  return undefined;
}

/** By pool: 1 where a leg passes. */
function poolsOf({ graph }: SearchTerms, legs: readonly DraftLeg[]): Uint8Array {
  const isUsed = new Uint8Array(graph.pools.length);
  for (const { edges } of legs) for (const edge of edges) isUsed[edge >> 1] = 1;
  return isUsed;
}

function isSamePath(one: readonly number[], other: readonly number[]): boolean {
  return one.length === other.length && one.every((edge, i) => edge === other[i]);
}

/** Without legs of next to nothing, and without the smallest beyond the most legs allowed. */
function withoutCrumbs({ terms, flow }: Splitter, legs: DraftLeg[]): DraftLeg[] | undefined {
  const least = LEAST_SHARE * terms.amount;
  const remaining = legs
    .filter(({ amount }) => amount >= least)
    .sort((a, b) => b.amount - a.amount)
    .slice(0, terms.maxLegs);
  if (remaining.length === legs.length) return remaining;
  return rebalanced(flow, remaining, terms.amount);
}

/** Legs scaled to the whole amount and balanced; undefined when they cannot take it. */
export function rebalanced(flow: Flow, legs: readonly DraftLeg[], amount: number): DraftLeg[] | undefined {
  const sum = legs.reduce((total, leg) => total + leg.amount, 0);
  if (!(sum > 0)) return undefined;
  const scaled = legs.map((leg) => ({ edges: leg.edges, amount: (leg.amount * amount) / sum }));
  if (pushLegs(flow, scaled) === Number.NEGATIVE_INFINITY) return undefined;
  balanceLegs(flow, scaled);
  return scaled.filter((leg) => leg.amount > 0);
}
