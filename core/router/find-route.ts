// The best route for a request.
import type { Graph } from "./graph.ts";
import type { RouteRequest } from "./request.ts";
import type { Route } from "./route.ts";

/** The best route by the quote less gas, or undefined when no path takes the amount. */
export function findRoute(_graph: Graph, request: RouteRequest): Route | undefined {
  throw new Error(`No search yet for ${request.tokenIn} to ${request.tokenOut}.`);
}
