// All pools at one block, by the tokens they join.
import type { Pool } from "./pool.ts";

/** Tokens by number, pools by number; a pool's number and a token's number never change while they are there. */
export interface Graph {
  readonly pools: (Pool | undefined)[];
  readonly numberOfPool: Map<string, number>;
  readonly tokens: string[];
  readonly numberOfToken: Map<string, number>;
}

/** A graph of pools. Pools without a price or without reserves are in it but never used. */
export function buildGraph(pools: Iterable<Pool>): Graph {
  const graph: Graph = { pools: [], numberOfPool: new Map(), tokens: [], numberOfToken: new Map() };
  for (const pool of pools) replacePool(graph, pool);
  return graph;
}

/** Puts a pool's newer state in the place of the older one, or adds a new pool. */
export function replacePool(graph: Graph, pool: Pool): void {
  const known = graph.numberOfPool.get(pool.address);
  const number = known ?? graph.pools.length;
  graph.pools[number] = pool;
  graph.numberOfPool.set(pool.address, number);
}

/** Takes a pool out, as after a reorg that undid its creation; false when it was not there. */
export function removePool(graph: Graph, address: string): boolean {
  const number = graph.numberOfPool.get(address);
  if (number === undefined) return false;
  graph.pools[number] = undefined;
  graph.numberOfPool.delete(address);
  return true;
}
