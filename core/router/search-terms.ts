// A request in the terms of the search: numbers for tokens, doubles for amounts, what tokens are worth, and how much work.
import type { Graph } from "./graph.ts";
import { type Outlook, outlookOf } from "./outlook.ts";
import { allProtocols, type RouteRequest } from "./request.ts";
import { StepBudget } from "./step-budget.ts";

export interface SearchTerms {
  readonly graph: Graph;
  /** `exactIn`: from tokenIn with what is sold. `exactOut`: back from tokenOut with what is bought. */
  readonly isForward: boolean;
  readonly start: number;
  readonly goal: number;
  readonly amount: number;
  readonly maxHops: number;
  readonly maxLegs: number;
  /** In smallest units of the quote's token. */
  readonly costOfGas: number;
  /** By the kinds a path holds: 1 for v2, 2 for v3, 3 for both. */
  readonly isAllowed: readonly boolean[];
  /** Of untouched pools. */
  readonly outlook: Outlook;
  readonly budget: StepBudget;
}

/** No longer path is looked for; paths mostly end earlier, as every pool costs a fee and gas. */
const MOST_HOPS = 20;
/** Unless the request says otherwise. */
const MAX_LEGS = 20;
/** Steps of one request: some milliseconds. */
const STEPS = 20_000;

/** Undefined when the graph has no way from one token to the other. */
export function termsOf(graph: Graph, request: RouteRequest): SearchTerms | undefined {
  const isForward = request.type === "exactIn";
  const tokenIn = graph.numberOfToken.get(request.tokenIn);
  const tokenOut = graph.numberOfToken.get(request.tokenOut);
  if (tokenIn === undefined || tokenOut === undefined) return undefined;
  const [start, goal] = isForward ? [tokenIn, tokenOut] : [tokenOut, tokenIn];
  const budget = new StepBudget(STEPS);
  const outlook = outlookOf({ graph, start, goal, isForward, budget }, graph.rate);
  if (outlook[start] === 0) return undefined;
  const protocols = request.protocols ?? allProtocols;
  const { numerator, denominator } = request.gas?.quotePerUnit ?? { numerator: 0n, denominator: 1n };
  return {
    graph,
    isForward,
    start,
    goal,
    amount: Number(request.amount),
    maxHops: Math.max(1, Math.min(MOST_HOPS, request.maxHops ?? MOST_HOPS)),
    maxLegs: Math.max(1, request.maxLegs ?? MAX_LEGS),
    costOfGas: Number(numerator) / Number(denominator),
    isAllowed: [
      false,
      protocols.includes("v2"),
      protocols.includes("v3"),
      // no router contract buys an exact output through both
      isForward && protocols.includes("mixed"),
    ],
    outlook,
    budget,
  };
}
