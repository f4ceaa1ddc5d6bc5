// Legs for an amount that no single path takes: pieces, each on the path that is best for it after those before.
import { type DraftLeg, isSamePath } from "./draft-leg.ts";
import type { Flow } from "./flow.ts";
import { outlookOf } from "./outlook.ts";
import type { Splitter } from "./split.ts";

const PIECES = 4;
/** Pieces of the amount that are too small to be laid, and what may be left of it. */
const LEAST_PIECE = 1 / 512;
const NOTHING = 1e-12;

/** Equal pieces, smaller ones where no path takes a whole piece; undefined when as many legs as there may be cannot take the amount. */
export function layPieces(splitter: Splitter): DraftLeg[] | undefined {
  const { amount, maxLegs } = splitter.terms;
  const even = lay(splitter, amount / PIECES);
  // what is best for small pieces may be shallow: where there may be no more legs, the deepest come first
  const laid = even.isWhole || even.legs.length < maxLegs ? even : lay(splitter, amount / 2);
  return laid.isWhole ? laid.legs : undefined;
}

function lay(splitter: Splitter, largest: number): { legs: DraftLeg[]; isWhole: boolean } {
  const { terms, flow } = splitter;
  flow.clear();
  const legs: DraftLeg[] = [];
  let piece = largest;
  let left = terms.amount;
  while (left > terms.amount * NOTHING) {
    const amount = Math.min(piece, left);
    const leg = legFor(splitter, legs, amount);
    if (leg === undefined) {
      piece /= 2;
      if (piece < terms.amount * LEAST_PIECE) return { legs, isWhole: false };
      continue;
    }
    if (!pushAll(flow, leg.edges, amount)) return { legs, isWhole: false };
    leg.amount += amount;
    left -= amount;
  }
  return { legs, isWhole: true };
}

/**
 * The leg that a piece is best laid on, a new one among `legs` where there may be more. When the steps are spent, other paths are sought
 * only for what no leg takes, so at most once for each leg that there may be.
 */
function legFor({ terms, flow, finder }: Splitter, legs: DraftLeg[], amount: number): DraftLeg | undefined {
  const isFull = legs.length >= terms.maxLegs;
  if (isFull || terms.budget.isSpent) {
    const leg = bestOf(flow, legs, amount);
    if (isFull || leg !== undefined) return leg;
  }
  const path = finder.find({
    amount,
    above: Number.NEGATIVE_INFINITY,
    outlook: outlookOf(terms, flow.rate),
    costOfGas: (terms.costOfGas * amount) / terms.amount,
  });
  if (path === undefined) return undefined;
  const same = legs.find((leg) => isSamePath(leg.edges, path.edges));
  if (same !== undefined) return same;
  const added: DraftLeg = { edges: path.edges, amount: 0 };
  legs.push(added);
  return added;
}

/** The leg that makes most of an amount more, or needs least for it; undefined when none takes it. */
function bestOf(flow: Flow, legs: readonly DraftLeg[], amount: number): DraftLeg | undefined {
  let best: DraftLeg | undefined;
  let most = Number.NEGATIVE_INFINITY;
  for (const leg of legs) {
    const made = passing(leg.edges, amount, (edge, coming) => flow.convert(edge, coming));
    const value = flow.isForward ? made : -made;
    if (made > 0 && value > most) [best, most] = [leg, value];
  }
  return best;
}

const pushAll = (flow: Flow, edges: readonly number[], amount: number): boolean =>
  passing(edges, amount, (edge, coming) => flow.push(edge, coming)) > 0;

/** What comes through edges; nothing where one of them does not take it. */
function passing(edges: readonly number[], amount: number, through: (edge: number, coming: number) => number): number {
  let coming = amount;
  for (const edge of edges) {
    if (!(coming > 0)) return 0;
    coming = through(edge, coming);
  }
  return coming;
}
