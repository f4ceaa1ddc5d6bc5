// A request in the terms of the search: numbers for tokens, doubles for amounts, and how well any path could end.
import { defaultGasModel, type GasModel } from "./gas.ts";
import type { Graph } from "./graph.ts";
import { allProtocols, type RouteRequest } from "./request.ts";

export interface SearchTerms {
  readonly graph: Graph;
  /** `exactIn`: from tokenIn with what is sold. `exactOut`: back from tokenOut with what is bought. */
  readonly isForward: boolean;
  readonly start: number;
  readonly goal: number;
  readonly amount: number;
  readonly maxHops: number;
  readonly maxLegs: number;
  readonly gasModel: GasModel;
  /** In smallest units of the quote's token. */
  readonly costOfGas: number;
  /** By the kinds a path holds: 1 for v2, 2 for v3, 3 for both. */
  readonly isAllowed: readonly boolean[];
  /**
   * `reach[hops][token]`: the best product of rates on the way from a token to the goal with at most so many hops, in
   * untouched pools; 0 where there is no way. Rates only fall, so no path does better.
   */
  readonly reach: readonly Float64Array[];
}

export const V2 = 1;
export const V3 = 2;

/** The bit of an edge's kind. */
export function kindOfEdge(graph: Graph, edge: number): number {
  return graph.pools[edge >> 1]?.kind === "v2" ? V2 : V3;
}

/** Unless the request says otherwise. */
const MAX_HOPS = 4;
const MAX_LEGS = 20;

/** Undefined when the graph has no way from one token to the other. */
export function termsOf(graph: Graph, request: RouteRequest): SearchTerms | undefined {
  const isForward = request.type === "exactIn";
  const tokenIn = graph.numberOfToken.get(request.tokenIn);
  const tokenOut = graph.numberOfToken.get(request.tokenOut);
  if (tokenIn === undefined || tokenOut === undefined) return undefined;
  const [start, goal] = isForward ? [tokenIn, tokenOut] : [tokenOut, tokenIn];
  const maxHops = Math.max(1, Math.min(16, request.maxHops ?? MAX_HOPS));
  const reach = reachOf(graph, graph.rate, { goal, isForward, maxHops });
  if (reach[maxHops]?.[start] === 0) return undefined;
  const protocols = request.protocols ?? allProtocols;
  const { numerator, denominator } = request.gas?.quotePerUnit ?? { numerator: 0n, denominator: 1n };
  return {
    graph,
    isForward,
    start,
    goal,
    amount: Number(request.amount),
    maxHops,
    maxLegs: Math.max(1, request.maxLegs ?? MAX_LEGS),
    gasModel: request.gas?.model ?? defaultGasModel,
    costOfGas: Number(numerator) / Number(denominator),
    isAllowed: [
      false,
      protocols.includes("v2"),
      protocols.includes("v3"),
      // no router contract buys an exact output through both
      isForward && protocols.includes("mixed"),
    ],
    reach,
  };
}

/** As the terms' `reach`, at other rates of the edges. */
export function reachOf(
  graph: Graph,
  rate: ArrayLike<number>,
  { goal, isForward, maxHops }: Pick<SearchTerms, "goal" | "isForward" | "maxHops">,
): Float64Array[] {
  const tokens = graph.edgesOf.length;
  const none = new Float64Array(tokens);
  none[goal] = 1;
  const reach = [none];
  let frontier = new Set([goal]);
  for (let hops = 1; hops <= maxHops; hops++) {
    const before = reach[hops - 1] as Float64Array;
    const now = new Float64Array(before);
    const changed = new Set<number>();
    for (const token of frontier) {
      for (const edge of graph.edgesOf[token] as number[]) {
        // the walk comes from the other token to this one: its edge is the opposite when it goes forward
        const product = (rate[isForward ? edge ^ 1 : edge] as number) * (before[token] as number);
        const from = graph.to[edge] as number;
        // a path ends where it first comes to the goal: a round trip from there gains nothing
        if (from === goal || product <= (now[from] as number)) continue;
        now[from] = product;
        changed.add(from);
      }
    }
    reach.push(now);
    frontier = changed;
  }
  return reach;
}
