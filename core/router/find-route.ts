// The best route for a request: the best single path, the best split over paths without a common pool and the best split
// over paths that may share pools are all worked out exactly, in the order in which they would be executed.
import type { DraftLeg } from "./draft-leg.ts";
import { dropLegs } from "./drop-legs.ts";
import { PathFinder } from "./find-path.ts";
import { Flow } from "./flow.ts";
import type { Graph } from "./graph.ts";
import type { RouteRequest } from "./request.ts";
import type { Route } from "./route.ts";
import { type SearchTerms, termsOf } from "./search-terms.ts";
import { type Draft, routeOf, type Settled, settle } from "./settle-route.ts";
import { splitAmount } from "./split-amount.ts";

/**
 * The best route by the quote less gas (`exactIn`) or with gas (`exactOut`). Undefined when no path of the protocols asked
 * for takes the whole amount, when a token is unknown or both are the same, and when nothing would come out.
 */
export function findRoute(graph: Graph, request: RouteRequest): Route | undefined {
  if (request.amount <= 0n || request.tokenIn === request.tokenOut) return undefined;
  const terms = termsOf(graph, request);
  if (terms === undefined) return undefined;
  const flow = new Flow(graph, terms.isForward);
  const finder = new PathFinder(terms, flow);
  const single = settleSingle(terms, finder, request);
  let best = single;
  if (couldGain(terms, single)) {
    for (const draft of splits(terms, flow, finder)) {
      if (draft.legs.length > 1 || single === undefined) best = better(request, best, settle(graph, request, draft));
    }
  }
  return best === undefined ? undefined : routeOf(request, best, single);
}

function settleSingle(terms: SearchTerms, finder: PathFinder, request: RouteRequest): Settled | undefined {
  const { amount, graph } = terms;
  const path = finder.find({ amount, gasShare: 1, above: Number.NEGATIVE_INFINITY, beam: 3 });
  if (path === undefined) return undefined;
  return settle(graph, request, { shape: "single", legs: [{ edges: path.edges, amount }] });
}

/** The best split with shared pools; where it does share any, the best one without too. */
function splits(terms: SearchTerms, flow: Flow, finder: PathFinder): Draft[] {
  const drafts: Draft[] = [];
  for (const isShared of [true, false]) {
    const legs = splitAmount({ terms, flow, finder, isShared });
    if (legs === undefined) continue;
    const remaining = dropLegs(terms, flow, legs);
    drafts.push({ shape: sharesPool(remaining) ? "shared" : "disjoint", legs: remaining });
    if (!sharesPool(legs)) break;
  }
  return drafts;
}

/** Whether even untouched pools would pay for the gas of a second leg. */
function couldGain(terms: SearchTerms, single: Settled | undefined): boolean {
  if (terms.maxLegs === 1) return false;
  if (single === undefined || terms.costOfGas === 0) return true;
  const product = terms.reach[terms.maxHops]?.[terms.start] as number;
  const quote = Number(single.quote);
  const gain = terms.isForward ? terms.amount * product - quote : quote - terms.amount / product;
  const { v3Section, v3Hop, v2Section } = terms.gasModel;
  return gain > terms.costOfGas * Math.min(v3Section + v3Hop, v2Section);
}

function sharesPool(legs: readonly DraftLeg[]): boolean {
  const pools = legs.flatMap(({ edges }) => edges.map((edge) => edge >> 1));
  return new Set(pools).size < pools.length;
}

function better({ type }: RouteRequest, one: Settled | undefined, other: Settled | undefined): Settled | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const isBetter =
    type === "exactIn" ? other.quoteGasAdjusted > one.quoteGasAdjusted : other.quoteGasAdjusted < one.quoteGasAdjusted;
  return isBetter ? other : one;
}
