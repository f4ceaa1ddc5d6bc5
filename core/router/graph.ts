// All pools at one block, by the tokens they join.
import { type Curve, marginalRoot } from "./curve.ts";
import { EdgeLists } from "./edge-lists.ts";
import type { Pool } from "./pool.ts";
import { PoolTables } from "./pool-tables.ts";

/** Bits, so that a path's kinds are one number. */
export const V2 = 1;
export const V3 = 2;

/**
 * Tokens and pools have numbers. Each pool is two edges: 2 × number sells token0, 2 × number + 1 sells token1; so an edge's
 * opposite is `edge ^ 1`.
 */
export interface Graph {
  readonly pools: readonly Pool[];
  readonly numberOfToken: ReadonlyMap<string, number>;
  readonly addressOfToken: readonly string[];
  /** By edge: the token that is bought. */
  readonly to: readonly number[];
  /** By pool: {@link V2} or {@link V3}. */
  readonly kinds: readonly number[];
  /** By pool: the token that is its share; −1 where no pool trades it. */
  readonly shareOfPool: readonly number[];
  /** By edge: output ÷ input at the margin, fee included; no swap gets more. 0 for an edge that cannot be used. */
  readonly rate: readonly number[];
  /** Of its pools. */
  readonly tables: PoolTables;
  /** By edge, of these tables; here once they have been asked for. */
  readonly curves: (Curve | undefined)[];
  /** Made when first asked for. */
  lists: { sold: EdgeLists; bought: EdgeLists } | undefined;
}

/** A graph of pools. Pools without a price or without reserves are in it but never used. `tables`: of graphs with some of the same pools. */
export function buildGraph(from: Iterable<Pool>, tables = new PoolTables()): Graph {
  const pools = [...from];
  const numberOfToken = new Map<string, number>();
  const numberOf = (token: string): number => {
    const number = numberOfToken.get(token) ?? numberOfToken.size;
    numberOfToken.set(token, number);
    return number;
  };
  const to = pools.flatMap(({ token0, token1 }) => [numberOf(token1), numberOf(token0)]);
  return {
    pools,
    numberOfToken,
    addressOfToken: [...numberOfToken.keys()],
    to,
    kinds: pools.map(({ kind }) => (kind === "v2" ? V2 : V3)),
    shareOfPool: pools.map(({ address }) => numberOfToken.get(address) ?? -1),
    rate: pools.flatMap((pool) => [marginalRate(pool, true), marginalRate(pool, false)]),
    tables,
    curves: [],
    lists: undefined,
  };
}

function marginalRate(pool: Pool, zeroForOne: boolean): number {
  const isUsable = pool.kind === "v2" || pool.liquidity > 0n || pool.ticks.length > 0;
  return isUsable ? marginalRoot(pool, zeroForOne) ** 2 * (1 - pool.fee / 1e6) : 0;
}

/**
 * Whether the router would have the pair of `first` pay that of `second`, one of its own tokens, which it refuses.
 * v2-core UniswapV2Pair.sol `swap`: INVALID_TO
 */
export function isPaidToItsToken(graph: Graph, first: number, second: number): boolean {
  const share = graph.shareOfPool[second >> 1] as number;
  return share >= 0 && (graph.to[first] === share || graph.to[first ^ 1] === share);
}

/** The edges of every token. */
export function edgeLists(graph: Graph): { sold: EdgeLists; bought: EdgeLists } {
  graph.lists ??= { sold: new EdgeLists(graph, { isSold: true }), bought: new EdgeLists(graph, { isSold: false }) };
  return graph.lists;
}

export function curveOfEdge(graph: Graph, edge: number): Curve {
  let curve = graph.curves[edge];
  if (curve === undefined) {
    curve = graph.tables.curve(graph.pools[edge >> 1] as Pool, (edge & 1) === 0);
    graph.curves[edge] = curve;
  }
  return curve;
}

/** The pool and the token that an edge sells. */
export function stepOfEdge(graph: Graph, edge: number): { pool: Pool; tokenIn: string } {
  const pool = graph.pools[edge >> 1] as Pool;
  return { pool, tokenIn: (edge & 1) === 0 ? pool.token0 : pool.token1 };
}
