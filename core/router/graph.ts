// All pools at one block, by the tokens they join.
import { type Curve, curveOf, marginalRoot } from "./curve.ts";
import { EdgeLists } from "./edge-lists.ts";
import type { Pool } from "./pool.ts";

/** Bits, so that a path's kinds are one number. */
export const V2 = 1;
export const V3 = 2;

/**
 * Tokens and pools have numbers. Each pool is two edges: 2 × number sells token0, 2 × number + 1 sells token1; so an edge's
 * opposite is `edge ^ 1`.
 */
export interface Graph {
  readonly pools: (Pool | undefined)[];
  readonly numberOfPool: Map<string, number>;
  readonly numberOfToken: Map<string, number>;
  readonly addressOfToken: string[];
  /** By edge: the token that is bought. */
  readonly to: number[];
  /** By pool: {@link V2} or {@link V3}. */
  readonly kinds: number[];
  /** By edge: output ÷ input at the margin, fee included; no swap gets more. 0 for an edge that cannot be used. */
  readonly rate: number[];
  /** By edge; made when first asked for. */
  readonly curves: (Curve | undefined)[];
  /** Made when first asked for. */
  lists: { sold: EdgeLists; bought: EdgeLists } | undefined;
}

/** A graph of pools. Pools without a price or without reserves are in it but never used. */
export function buildGraph(pools: Iterable<Pool>): Graph {
  const graph: Graph = {
    pools: [],
    numberOfPool: new Map(),
    numberOfToken: new Map(),
    addressOfToken: [],
    to: [],
    kinds: [],
    rate: [],
    curves: [],
    lists: undefined,
  };
  for (const pool of pools) replacePool(graph, pool);
  return graph;
}

/** Puts a pool's newer state in the place of the older one, or adds a new pool. */
export function replacePool(graph: Graph, pool: Pool): void {
  const existing = graph.numberOfPool.get(pool.address);
  const number = existing ?? graph.pools.length;
  graph.pools[number] = pool;
  graph.kinds[number] = pool.kind === "v2" ? V2 : V3;
  graph.numberOfPool.set(pool.address, number);
  const isUsable = pool.kind === "v2" || pool.liquidity > 0n || pool.ticks.length > 0;
  for (const zeroForOne of [true, false]) {
    const edge = 2 * number + (zeroForOne ? 0 : 1);
    graph.rate[edge] = isUsable ? marginalRoot(pool, zeroForOne) ** 2 * (1 - pool.fee / 1e6) : 0;
    graph.curves[edge] = undefined;
  }
  if (existing === undefined) {
    graph.to[2 * number] = numberToken(graph, pool.token1);
    graph.to[2 * number + 1] = numberToken(graph, pool.token0);
    graph.lists = undefined;
  }
  for (const edge of [2 * number, 2 * number + 1]) {
    graph.lists?.sold.move(edge);
    graph.lists?.bought.move(edge);
  }
}

function numberToken(graph: Graph, token: string): number {
  let number = graph.numberOfToken.get(token);
  if (number === undefined) {
    number = graph.addressOfToken.length;
    graph.numberOfToken.set(token, number);
    graph.addressOfToken.push(token);
  }
  return number;
}

/** Takes a pool out, as after a reorg that undid its creation; false when it was not there. */
export function removePool(graph: Graph, address: string): boolean {
  const number = graph.numberOfPool.get(address);
  if (number === undefined) return false;
  graph.numberOfPool.delete(address);
  graph.pools[number] = undefined;
  for (const edge of [2 * number, 2 * number + 1]) {
    graph.rate[edge] = 0;
    graph.curves[edge] = undefined;
  }
  graph.lists = undefined;
  return true;
}

/** The edges of every token: made anew after a pool has come or gone. */
export function edgeLists(graph: Graph): { sold: EdgeLists; bought: EdgeLists } {
  graph.lists ??= { sold: new EdgeLists(graph, { isSold: true }), bought: new EdgeLists(graph, { isSold: false }) };
  return graph.lists;
}

export function curveOfEdge(graph: Graph, edge: number): Curve {
  let curve = graph.curves[edge];
  if (curve === undefined) {
    curve = curveOf(graph.pools[edge >> 1] as Pool, (edge & 1) === 0);
    graph.curves[edge] = curve;
  }
  return curve;
}

/** The pool and the token that an edge sells. */
export function stepOfEdge(graph: Graph, edge: number): { pool: Pool; tokenIn: string } {
  const pool = graph.pools[edge >> 1] as Pool;
  return { pool, tokenIn: (edge & 1) === 0 ? pool.token0 : pool.token1 };
}
