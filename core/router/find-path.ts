// The best single path for an amount through the pools as they are now: layer by layer, the few best ways to each token are
// kept. A way is given up as soon as even untouched pools could not bring it past the best path found.
import type { Flow } from "./flow.ts";
import { kindOfEdge, type SearchTerms, V2, V3 } from "./search-terms.ts";

export interface FoundPath {
  /** In the order of the walk: backward for `exactOut`. */
  readonly edges: readonly number[];
  /** Of the goal's token. */
  readonly amount: number;
  readonly gasUnits: number;
  /** Output less gas, or minus (input and gas): more is better. */
  readonly value: number;
}

export interface PathSearch {
  readonly amount: number;
  /** The part of the path's gas that is charged. */
  readonly gasShare: number;
  /** Only paths of a greater value are found. */
  readonly above: number;
  /** Ways kept for each token. */
  readonly beam: number;
  /** As the terms' `reach`, at the rates as they are now. */
  readonly reach?: readonly Float64Array[];
  /** By pool: 1 where it must not be used. */
  readonly isBlocked?: Uint8Array | undefined;
}

/** A way so far: a node of the tree that the search grows. */
interface Way {
  readonly token: number;
  readonly amount: number;
  readonly parent: Way | undefined;
  readonly edge: number;
  /** Bits of the kinds of pools passed, and the last one's. */
  readonly kinds: number;
  readonly lastKind: number;
  /** Gas without ticks. */
  readonly gas: number;
  readonly ticks: number;
  /** The value that it can come to at best. */
  readonly bound: number;
}

export class PathFinder {
  readonly #terms: SearchTerms;
  readonly #flow: Flow;
  /** Whether kinds so far may still become an allowed path. */
  readonly #canLead: readonly boolean[];
  /** Whether ways are alike whatever kinds they passed. */
  readonly #isFree: boolean;
  /** By token: the edges that sell it for the goal. */
  readonly #lastEdges = new Map<number, number[]>();
  #search: PathSearch;
  #cost = 0;
  #best: Way | undefined;
  #bestValue = 0;
  #next = new Map<number, Way[]>();

  constructor(terms: SearchTerms, flow: Flow) {
    this.#terms = terms;
    this.#flow = flow;
    const [, v2, v3, mixed] = terms.isAllowed as [boolean, boolean, boolean, boolean];
    this.#canLead = [true, v2 || mixed, v3 || mixed, mixed];
    this.#isFree = v2 && v3 && mixed;
    for (const away of terms.graph.edgesOf[terms.goal] as number[]) {
      const token = terms.graph.to[away] as number;
      const edges = this.#lastEdges.get(token);
      if (edges === undefined) this.#lastEdges.set(token, [away ^ 1]);
      else edges.push(away ^ 1);
    }
    this.#search = { amount: 0, gasShare: 0, above: 0, beam: 1 };
  }

  find(search: PathSearch): FoundPath | undefined {
    this.#search = search;
    this.#cost = this.#terms.costOfGas * search.gasShare;
    this.#best = undefined;
    this.#bestValue = search.above;
    const { graph, start, maxHops } = this.#terms;
    const first: Way = {
      token: start,
      amount: search.amount,
      parent: undefined,
      edge: -1,
      kinds: 0,
      lastKind: 0,
      gas: 0,
      ticks: 0,
      bound: Number.POSITIVE_INFINITY,
    };
    let layer = [first];
    for (let left = maxHops - 1; left >= 0 && layer.length > 0; left--) {
      // ends first: the better the best path, the fewer ways go on
      for (const way of layer) {
        const edges = this.#lastEdges.get(way.token);
        if (edges !== undefined) this.#extend(way, left, edges);
      }
      if (left === 0) break;
      this.#next = new Map();
      for (const way of layer) {
        if (way.bound > this.#bestValue) this.#extend(way, left, graph.edgesOf[way.token] as number[]);
      }
      layer = [...this.#next.values()].flat();
    }
    return this.#found();
  }

  #found(): FoundPath | undefined {
    const best = this.#best;
    if (best === undefined) return undefined;
    const edges: number[] = [];
    for (let way: Way | undefined = best; way?.parent !== undefined; way = way.parent) edges.unshift(way.edge);
    return { edges, amount: best.amount, gasUnits: this.#gasOf(best, true), value: best.bound };
  }

  /** Takes a way on over edges: to the goal, or to tokens from which it can still get better than the best path. */
  #extend(way: Way, left: number, edges: readonly number[]): void {
    const { graph, isForward, goal } = this.#terms;
    const { rate } = this.#flow;
    const onwards = (this.#search.reach ?? this.#terms.reach)[left] as Float64Array;
    const isToGoal = edges === this.#lastEdges.get(way.token);
    const least = this.#leastProduct(way);
    for (const selling of edges) {
      const token = graph.to[selling] as number;
      const onward = onwards[token] as number;
      const edge = isForward ? selling : selling ^ 1;
      if ((rate[edge] as number) * onward <= least) continue;
      if ((token === goal) !== isToGoal || this.#isBarred(way, edge, token)) continue;
      this.#step(way, edge, { token, onward });
    }
  }

  /** Of rates from a way to the goal: below it, the best path is better. */
  #leastProduct({ amount, gas }: Way): number {
    const least = this.#bestValue + gas * this.#cost;
    if (this.#terms.isForward) return Math.max(0, least / amount);
    return least < 0 ? amount / -least : Number.POSITIVE_INFINITY;
  }

  /** Output, or minus input, at a product of rates. */
  #valueOf(amount: number, product: number): number {
    return this.#terms.isForward ? amount * product : -amount / product;
  }

  #isBarred(way: Way, edge: number, token: number): boolean {
    if (this.#search.isBlocked?.[edge >> 1] === 1 || this.#flow.isOpposed(edge)) return true;
    for (let passed: Way | undefined = way; passed !== undefined; passed = passed.parent) {
      if (passed.token === token) return true;
    }
    return false;
  }

  #step(way: Way, edge: number, { token, onward }: { token: number; onward: number }): void {
    const { graph, gasModel, goal, isAllowed } = this.#terms;
    const kind = kindOfEdge(graph, edge);
    const kinds = way.kinds | kind;
    const isEnd = token === goal;
    if (!(isEnd ? isAllowed : this.#canLead)[kinds]) return;
    const amount = this.#flow.convert(edge, way.amount);
    if (amount <= 0) return;
    const isNew = way.lastKind !== kind;
    const gas =
      kind === V2
        ? isNew
          ? gasModel.v2Section
          : gasModel.v2ExtraHop
        : gasModel.v3Hop + (isNew ? gasModel.v3Section : 0);
    const ticks = way.ticks + (kind === V3 ? this.#flow.crossed(edge) : 0);
    const made = { token, amount, parent: way, edge, kinds, lastKind: kind, gas: way.gas + gas, ticks, bound: 0 };
    made.bound = this.#valueOf(amount, onward) - this.#gasOf(made, isEnd) * this.#cost;
    if (made.bound <= this.#bestValue) return;
    if (isEnd) {
      this.#best = made;
      this.#bestValue = made.bound;
    } else {
      this.#keep(made);
    }
  }

  #gasOf({ gas, kinds, ticks, parent }: Way, isEnd: boolean): number {
    const { gasModel } = this.#terms;
    const isSingle = isEnd && kinds === V3 && parent?.parent === undefined;
    return gas + gasModel.v3TickCrossed * ticks + (isSingle ? gasModel.v3SingleHop : 0);
  }

  #keep(way: Way): void {
    const key = this.#isFree ? way.token : way.token * 4 + way.kinds;
    const ways = this.#next.get(key);
    if (ways === undefined) {
      this.#next.set(key, [way]);
    } else if (ways.length < this.#search.beam) {
      ways.push(way);
    } else {
      let worst = 0;
      for (let i = 1; i < ways.length; i++) if ((ways[i] as Way).bound < (ways[worst] as Way).bound) worst = i;
      if ((ways[worst] as Way).bound < way.bound) ways[worst] = way;
    }
  }
}
