// The edges of every token in one row of memory: a search compares hundreds of thousands of them.
import type { Pool } from "./pool.ts";

/** The parts of a graph that decide the order of its edges. */
interface Market {
  readonly pools: readonly Pool[];
  readonly addressOfToken: readonly string[];
  /** By edge: the token that is bought. */
  readonly to: readonly number[];
  /** By pool. */
  readonly kinds: readonly number[];
  /** By edge: output ÷ input at the margin. */
  readonly rate: readonly number[];
}

/**
 * By token: the edges that sell it, or those that buy it. Edges between the same two tokens through pools of one kind stand
 * together, the best rate first. The order depends on the pools alone, not on the order in which they came: a search that goes through
 * edges in order comes to the same answer for the same pools.
 */
export class EdgeLists {
  /** By token, and one more: the place of its first edge. */
  readonly start: Int32Array;
  /** By place. */
  readonly edge: Int32Array;
  /** By place: the other token. */
  readonly other: Int32Array;
  /** By place: of the pool. */
  readonly kind: Uint8Array;
  /** By place: output ÷ input at the margin of the untouched pool. */
  readonly rate: Float64Array;
  /** By place: where the next other token or kind begins. */
  readonly next: Int32Array;

  constructor(market: Market, { isSold }: { isSold: boolean }) {
    const tokenOf = (edge: number): number => market.to[isSold ? edge ^ 1 : edge] as number;
    const edges = market.pools.flatMap((_, number) => [2 * number, 2 * number + 1]);
    const rank = ranksOf(market.addressOfToken);
    const order = (edge: number): number => rank[tokenOf(edge ^ 1)] as number;
    edges.sort((one, other) => {
      return (
        tokenOf(one) - tokenOf(other) ||
        order(one) - order(other) ||
        kindOf(market, one) - kindOf(market, other) ||
        compareRates(market, one, other)
      );
    });
    this.start = new Int32Array(market.addressOfToken.length + 1);
    this.edge = Int32Array.from(edges);
    this.other = Int32Array.from(edges, (edge) => tokenOf(edge ^ 1));
    this.kind = Uint8Array.from(edges, (edge) => kindOf(market, edge));
    this.rate = Float64Array.from(edges, (edge) => market.rate[edge] as number);
    this.next = new Int32Array(edges.length);
    for (const edge of edges) this.start[tokenOf(edge) + 1] = (this.start[tokenOf(edge) + 1] as number) + 1;
    for (let token = 1; token < this.start.length; token++) {
      this.start[token] = (this.start[token] as number) + (this.start[token - 1] as number);
    }
    for (let place = edges.length - 1; place >= 0; place--) {
      const edge = edges[place] as number;
      const isTogether = this.other[place] === this.other[place + 1] && this.kind[place] === this.kind[place + 1];
      const isLast = this.start[tokenOf(edge) + 1] === place + 1 || !isTogether;
      this.next[place] = isLast ? place + 1 : (this.next[place + 1] as number);
    }
  }
}

const kindOf = ({ kinds }: Market, edge: number): number => kinds[edge >> 1] as number;

/** The better rate first; of equal ones the lower address of the pool. */
function compareRates({ rate, pools }: Market, one: number, other: number): number {
  const difference = (rate[other] as number) - (rate[one] as number);
  if (difference !== 0) return difference;
  return (pools[one >> 1]?.address ?? "") < (pools[other >> 1]?.address ?? "") ? -1 : 1;
}

function ranksOf(addresses: readonly string[]): Int32Array {
  const ranks = new Int32Array(addresses.length);
  const sorted = addresses.map((_, token) => token);
  sorted.sort((one, other) => ((addresses[one] as string) < (addresses[other] as string) ? -1 : 1));
  sorted.forEach((token, rank) => {
    ranks[token] = rank;
  });
  return ranks;
}
