// The best route for a request: the best single path and the best split, both worked out exactly in the order in which they would
// be executed.
import type { DraftLeg } from "./draft-leg.ts";
import { type FoundPath, PathFinder } from "./find-path.ts";
import { Flow } from "./flow.ts";
import { gasModel } from "./gas.ts";
import type { Graph } from "./graph.ts";
import { improveSplit } from "./improve-split.ts";
import { layPieces } from "./lay-pieces.ts";
import type { RouteRequest } from "./request.ts";
import type { Route } from "./route.ts";
import { termsOf } from "./search-terms.ts";
import { routeOf, type Settled, settle } from "./settle-route.ts";
import { balanced, type Split, type Splitter } from "./split.ts";

/**
 * The best route by the quote less gas (`exactIn`) or with gas (`exactOut`). Undefined when no path of the protocols asked
 * for takes the whole amount, when a token is unknown or both are the same, and when nothing would come out.
 */
export function findRoute(graph: Graph, request: RouteRequest): Route | undefined {
  if (request.amount <= 0n || request.tokenIn === request.tokenOut) return undefined;
  const terms = termsOf(graph, request);
  if (terms === undefined) return undefined;
  const flow = new Flow(terms);
  const splitter = { terms, flow, finder: new PathFinder(terms, flow) };
  const { path, single } = bestPath(splitter, request);
  const split = couldGain(splitter, path) ? bestSplit(splitter, path) : undefined;
  const best = split === undefined ? single : better(request, single, settle(graph, request, split));
  return best === undefined ? undefined : routeOf(request, best, single);
}

interface Found {
  path: FoundPath | undefined;
  single: Settled | undefined;
}

/** Pools that refuse what the search has them do. */
const MOST_REFUSING = 10;

/** The best path and what the contracts make of it. Where they refuse it, the first pool that does is closed, and another one found. */
function bestPath({ terms, flow, finder }: Splitter, request: RouteRequest): Found {
  const { graph, amount, outlook } = terms;
  const settledTo = (edges: readonly number[]) => settle(graph, request, [{ edges, amount }]);
  for (let refusing = 0; refusing < MOST_REFUSING; refusing++) {
    const path = finder.find({ amount, above: Number.NEGATIVE_INFINITY, outlook });
    const single = path && settledTo(path.edges);
    if (path === undefined || single !== undefined) return { path, single };
    const last = path.edges.findIndex((_, i) => settledTo(path.edges.slice(0, i + 1)) === undefined);
    flow.close(path.edges[last] as number);
  }
  return { path: undefined, single: undefined };
}

/** Steps of the first start after which there is no second one. */
const SECOND_START = 3_000;

/** From the best path for all, and from pieces on a path each: where one start is stuck, the other may not be. */
function bestSplit(splitter: Splitter, path: FoundPath | undefined): readonly DraftLeg[] | undefined {
  const { terms } = splitter;
  const fromPath = path && improved(splitter, [{ edges: path.edges, amount: terms.amount }]);
  if (fromPath !== undefined && terms.budget.spent > SECOND_START) return fromPath.legs;
  const pieces = layPieces(splitter);
  const fromPieces = pieces && improved(splitter, pieces);
  if (fromPath === undefined || fromPieces === undefined) return (fromPath ?? fromPieces)?.legs;
  return fromPieces.value > fromPath.value ? fromPieces.legs : fromPath.legs;
}

function improved(splitter: Splitter, legs: DraftLeg[]): Split | undefined {
  const first = balanced(splitter, legs);
  return first && improveSplit(splitter, first);
}

/** Whether the best path's first unit, or that of the best short one, would all along pay for the gas of a second leg. */
function couldGain({ terms, flow }: Splitter, path: FoundPath | undefined): boolean {
  if (terms.maxLegs === 1) return false;
  if (path === undefined || terms.costOfGas === 0) return true;
  flow.clear();
  const ofPath = path.edges.reduce((product, edge) => product * (flow.rate[edge] as number), 1);
  const ofOutlook = terms.outlook[terms.start] as number;
  const product = Math.max(ofPath, ofOutlook);
  const gain = terms.isForward ? terms.amount * product - path.amount : path.amount - terms.amount / product;
  const { v3Section, v3Hop, v2Section } = gasModel;
  return gain > terms.costOfGas * Math.min(v3Section + v3Hop, v2Section);
}

function better({ type }: RouteRequest, one: Settled | undefined, other: Settled | undefined): Settled | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const isBetter =
    type === "exactIn" ? other.quoteGasAdjusted > one.quoteGasAdjusted : other.quoteGasAdjusted < one.quoteGasAdjusted;
  return isBetter ? other : one;
}
