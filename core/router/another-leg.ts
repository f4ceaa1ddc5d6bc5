// One leg more for a split: a part of a leg takes another way, from its beginning or from behind a pool that it nearly empties:
// there most of the amount brings next to nothing, and only what comes through can be shared out. The whole of a leg is tried
// too; then the other way takes its place.
import { pushLegs } from "./balance-legs.ts";
import { type DraftLeg, isSamePath } from "./draft-leg.ts";
import { exchange } from "./exchange-legs.ts";
import type { Flow } from "./flow.ts";
import { type Outlook, outlookOf } from "./outlook.ts";
import { balanced, FINEST, gasOfPath, type Split, type Splitter } from "./split.ts";

/** The parts of a leg that look for another way: large ones find deep paths, small ones what is best at the margin. */
const PARTS = [0.5, 1, 0.15, 0.03];
/** A leg is cut behind a pool too whose price moves by more than this part. */
const MOVED = 0.05;

/** Where a leg is cut, what comes there, and what a token is worth there without it. */
interface Cut {
  readonly leg: DraftLeg;
  /** Pools before it. */
  readonly at: number;
  readonly arriving: number;
  readonly outlook: Outlook;
}

/**
 * The split with another way for a part of a leg, and the leg whose turn is next; undefined when none is worth more.
 * @param turn the leg that is tried first, so that none waits while others get better again and again
 */
export function anotherLeg(splitter: Splitter, split: Split, turn: number): { split: Split; turn: number } | undefined {
  const { legs } = split;
  for (let i = 0; i < legs.length; i++) {
    const place = (turn + i) % legs.length;
    const found = anotherWay(splitter, split, legs[place] as DraftLeg);
    if (found !== undefined) return { split: found, turn: place + 1 };
  }
  return undefined;
}

function anotherWay(splitter: Splitter, split: Split, leg: DraftLeg): Split | undefined {
  for (const at of cutsOf(splitter, split, leg)) {
    const cut = cutAt(splitter, split, { leg, at });
    for (const part of PARTS) {
      if (splitter.terms.budget.isSpent) return undefined;
      const changed = rerouted(splitter, split, { cut, part });
      const found = changed && balanced(splitter, changed);
      if (found !== undefined && found.value > split.value + FINEST * Math.abs(split.value)) return found;
    }
  }
  return undefined;
}

function cutsOf({ terms, flow }: Splitter, { legs }: Split, { edges }: DraftLeg): number[] {
  pushLegs(flow, legs);
  const isMoved = (edge: number) => (flow.rate[edge] as number) < (1 - MOVED) * (terms.graph.rate[edge] as number);
  return [0, ...edges.flatMap((edge, i) => (isMoved(edge) && i + 1 < edges.length ? [i + 1] : []))];
}

function cutAt({ terms, flow }: Splitter, { legs }: Split, { leg, at }: { leg: DraftLeg; at: number }): Cut {
  const arriving = pushWithout(flow, legs, { leg, at, part: 1 });
  return { leg, at, arriving, outlook: outlookOf(terms, flow.rate) };
}

/** All legs in turn, but of one only its beginning and what is left behind it without a part; what comes to where it is cut. */
function pushWithout(
  flow: Flow,
  legs: readonly DraftLeg[],
  { leg, at, part }: { leg: DraftLeg; at: number; part: number },
): number {
  flow.clear();
  let arriving = leg.amount;
  for (const each of legs) {
    if (each !== leg) {
      pushAll(flow, each.edges, each.amount);
      continue;
    }
    arriving = pushAll(flow, leg.edges.slice(0, at), leg.amount);
    if (part < 1) pushAll(flow, leg.edges.slice(at), arriving * (1 - part));
  }
  return arriving;
}

function pushAll(flow: Flow, edges: readonly number[], amount: number): number {
  let passing = amount;
  for (const edge of edges) passing = flow.push(edge, passing);
  return passing;
}

/** What edges make of an amount after all that the flow has taken. */
function madeBy(flow: Flow, edges: readonly number[], amount: number): number {
  let made = amount;
  for (const edge of edges) made = flow.convert(edge, made);
  return flow.isForward ? made : -made;
}

/** The legs with the best way for a part; undefined when it makes no more of it than the leg does. */
function rerouted(
  { terms, flow, finder }: Splitter,
  { legs, value }: Split,
  { cut, part }: { cut: Cut; part: number },
): DraftLeg[] | undefined {
  const { leg, at, arriving, outlook } = cut;
  if (part < 1 && legs.length >= terms.maxLegs) return undefined;
  pushWithout(flow, legs, { leg, at, part });
  const made = madeBy(flow, leg.edges.slice(at), arriving * part);
  const saved = part === 1 ? gasOfPath(terms, leg.edges) * terms.costOfGas : 0;
  const above = made - saved + FINEST * Math.abs(value);
  const prefix = leg.edges.slice(0, at);
  const path = finder.find({ amount: arriving * part, above, outlook, prefix });
  if (path === undefined || legs.some(({ edges }) => isSamePath(edges, path.edges))) return undefined;
  const inPlace = (...by: DraftLeg[]) => legs.flatMap((each) => (each === leg ? by : [{ ...each }]));
  if (part === 1) return inPlace({ edges: path.edges, amount: leg.amount });
  const amount = leg.amount * part;
  const pair: [DraftLeg, DraftLeg] = [
    { edges: leg.edges, amount: leg.amount - amount },
    { edges: path.edges, amount },
  ];
  const all = inPlace(...pair);
  if (at > 0) exchange(flow, { legs: all, pair, costOfTick: 0 });
  return all;
}
