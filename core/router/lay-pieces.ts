// Legs for an amount that no single path takes: pieces, each on the path that is best for it after those before.
import { type DraftLeg, isSamePath } from "./draft-leg.ts";
import type { Flow } from "./flow.ts";
import { outlookOf } from "./outlook.ts";
import type { Splitter } from "./split.ts";

const PIECES = 4;
const MOST_HALVINGS = 7;

/** Equal pieces, smaller ones where no path takes a whole piece; undefined when the pools cannot take the amount. */
export function layPieces({ terms, flow, finder }: Splitter): DraftLeg[] | undefined {
  flow.clear();
  const legs: DraftLeg[] = [];
  let piece = terms.amount / PIECES;
  const least = piece / 2 ** MOST_HALVINGS;
  let left = terms.amount;
  while (left > terms.amount * 1e-12) {
    const amount = Math.min(piece, left);
    const path = finder.find({
      amount,
      above: Number.NEGATIVE_INFINITY,
      outlook: outlookOf(terms, flow.rate),
      costOfGas: (terms.costOfGas * amount) / terms.amount,
    });
    if (path === undefined) {
      piece /= 2;
      if (piece < least) return undefined;
      continue;
    }
    if (!pushAll(flow, path.edges, amount)) return undefined;
    const same = legs.find((leg) => isSamePath(leg.edges, path.edges));
    if (same === undefined) legs.push({ edges: path.edges, amount });
    else same.amount += amount;
    left -= amount;
  }
  return legs;
}

function pushAll(flow: Flow, edges: readonly number[], amount: number): boolean {
  let passing = amount;
  for (const edge of edges) passing = flow.push(edge, passing);
  return passing > 0;
}
