// Prices through pools: from tokens whose price is fixed, along the path whose weakest pool is the deepest.
import type { Fraction } from "../lookthrough/fraction.ts";
import type { PoolMean } from "./mean-price.ts";
import { type FineUsd, worthOf } from "./usd.ts";

const MOST_HOPS = 4;

interface PriceGraph {
  /** USD per whole token that are given. */
  fixed: ReadonlyMap<string, FineUsd>;
  pools: readonly PoolMean[];
  /** A token without decimals is ignored. */
  decimals: ReadonlyMap<string, number>;
  /** A pool with less of the priced token behind it prices nothing. */
  minimumDepth: FineUsd;
}

export interface GraphPrice {
  usd: FineUsd;
  /** Pools from the fixed token on; empty for a fixed token. */
  path: readonly string[];
  /** Tokens passed, from the fixed one on, the priced one included. */
  tokens: readonly string[];
  /** USD behind the weakest pool of the path; undefined for a fixed token. */
  depth: FineUsd | undefined;
  /** USD behind the last pool. */
  lastDepth: FineUsd;
}

/**
 * USD per whole token for all tokens to which a path of at most {@link MOST_HOPS} pools leads. Of several paths the one whose
 * smallest depth is largest; then the shorter one, the one with the deeper last pool, the one whose last pool has the
 * smaller address. Depth is counted on the side whose price is known, by the price that the path up to there gives.
 */
export function walkPrices(graph: PriceGraph): Map<string, GraphPrice> {
  let best = new Map<string, GraphPrice>(
    [...graph.fixed].map(([token, usd]) => [
      token,
      { usd, path: [], tokens: [token], depth: undefined, lastDepth: 0n },
    ]),
  );
  for (let hop = 1; hop <= MOST_HOPS; hop++) {
    // every path of one more pool begins with a best one of the pools before
    const next = new Map(best);
    for (const pool of graph.pools) {
      offer(graph, next, { pool, price: best.get(pool.token0), side: 0 });
      offer(graph, next, { pool, price: best.get(pool.token1), side: 1 });
    }
    best = next;
  }
  return best;
}

interface Step {
  pool: PoolMean;
  /** The price of the token on `side`. */
  price: GraphPrice | undefined;
  side: 0 | 1;
}

function offer(graph: PriceGraph, next: Map<string, GraphPrice>, { pool, price, side }: Step): void {
  if (!price) return;
  const [from, to] = side === 0 ? [pool.token0, pool.token1] : [pool.token1, pool.token0];
  if (graph.fixed.has(to) || price.tokens.includes(to)) return;
  const [decimals, toDecimals] = [graph.decimals.get(from), graph.decimals.get(to)];
  if (decimals === undefined || toDecimals === undefined) return;
  const [depth, lifeDepth] = side === 0 ? [pool.depth0, pool.lifeDepth0] : [pool.depth1, pool.lifeDepth1];
  if (worthOf(price.usd, lifeDepth, decimals) < graph.minimumDepth) return;
  const lastDepth = worthOf(price.usd, depth, decimals);
  const usd = across(price.usd, { perOther: perOther(pool.price, side), decimals, toDecimals });
  if (usd === 0n) return;
  const offered = {
    usd,
    path: [...price.path, pool.address],
    tokens: [...price.tokens, to],
    depth: price.depth === undefined || lastDepth < price.depth ? lastDepth : price.depth,
    lastDepth,
  };
  const held = next.get(to);
  if (!held || isBetter(offered, held)) next.set(to, offered);
}

/** Raw units of the token on `side` per raw unit of the other. */
const perOther = ({ numerator, denominator }: Fraction, side: 0 | 1): Fraction =>
  side === 0 ? { numerator: denominator, denominator: numerator } : { numerator, denominator };

/** Rounded down. */
const across = (usd: FineUsd, by: { perOther: Fraction; decimals: number; toDecimals: number }): FineUsd =>
  (usd * by.perOther.numerator * 10n ** BigInt(by.toDecimals)) / (by.perOther.denominator * 10n ** BigInt(by.decimals));

function isBetter(offered: GraphPrice, held: GraphPrice): boolean {
  const [depth, heldDepth] = [offered.depth ?? 0n, held.depth ?? 0n];
  if (depth !== heldDepth) return depth > heldDepth;
  if (offered.path.length !== held.path.length) return offered.path.length < held.path.length;
  if (offered.lastDepth !== held.lastDepth) return offered.lastDepth > held.lastDepth;
  return (offered.path.at(-1) ?? "") < (held.path.at(-1) ?? "");
}
