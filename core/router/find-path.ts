// The best single path for an amount through the pools as they are now, over as many pools as pay: layer by layer, the best
// way to each token goes on. A way is given up when a way of no more pools brought more, and when the outlook from where it
// ends does not bring it past the best path found.
import type { Flow } from "./flow.ts";
import { V2, V3 } from "./graph.ts";
import type { Outlook } from "./outlook.ts";
import type { SearchTerms } from "./search-terms.ts";
import { EDGES_FOR_A_STEP } from "./step-budget.ts";

export interface FoundPath {
  /** In the order of the walk: backward for `exactOut`. */
  readonly edges: readonly number[];
  /** Of the goal's token. */
  readonly amount: number;
  /** Output less gas, or minus (input and gas): more is better. */
  readonly value: number;
}

export interface PathSearch {
  /** Behind the prefix. */
  readonly amount: number;
  /** Edges that the path begins with. */
  readonly prefix?: readonly number[];
  /** Only paths of a greater value are found. */
  readonly above: number;
  /** At the rates as they are now. */
  readonly outlook: Outlook;
  /** What a unit of gas costs; the terms' by default. */
  readonly costOfGas?: number;
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
  /** Units of gas, ticks included. */
  readonly gas: number;
  /** What the outlook promises it, less gas. */
  readonly promise: number;
}

export class PathFinder {
  readonly #terms: SearchTerms;
  readonly #flow: Flow;
  /** Whether kinds so far may still become an allowed path. */
  readonly #canLead: readonly boolean[];
  /** Whether ways are alike whatever kinds they passed before the last. */
  readonly #isFree: boolean;
  /** By token: the edges that sell it for the goal. */
  readonly #lastEdges = new Map<number, number[]>();
  /** By token and kinds: the best promise of any way so far. */
  readonly #promised: Float64Array;
  #worth: Outlook = new Float64Array();
  readonly #leastGas: number;
  #cost = 0;
  #best: Way | undefined;
  #bestValue = 0;
  #next = new Map<number, Way>();

  constructor(terms: SearchTerms, flow: Flow) {
    this.#terms = terms;
    this.#flow = flow;
    const [, v2, v3, mixed] = terms.isAllowed as [boolean, boolean, boolean, boolean];
    this.#canLead = [true, v2 || mixed, v3 || mixed, mixed];
    this.#isFree = v2 && v3 && mixed;
    this.#leastGas = Math.min(terms.gasModel.v3Hop, terms.gasModel.v2ExtraHop);
    this.#promised = new Float64Array(terms.graph.edgesOf.length * 4);
    for (const away of terms.graph.edgesOf[terms.goal] as number[]) {
      const token = terms.graph.to[away] as number;
      const edges = this.#lastEdges.get(token);
      if (edges === undefined) this.#lastEdges.set(token, [away ^ 1]);
      else edges.push(away ^ 1);
    }
  }

  find({ amount, prefix, above, outlook, costOfGas }: PathSearch): FoundPath | undefined {
    const { graph, maxHops } = this.#terms;
    this.#worth = outlook;
    this.#cost = costOfGas ?? this.#terms.costOfGas;
    this.#best = undefined;
    this.#bestValue = above;
    this.#promised.fill(Number.NEGATIVE_INFINITY);
    let layer: readonly Way[] = [this.#begin(amount, prefix ?? [])];
    for (let left = maxHops - 1 - (prefix?.length ?? 0); left >= 0 && layer.length > 0; left--) {
      // ends first: the better the best path, the fewer ways go on
      for (const way of layer) {
        if (way.promise > this.#bestValue) this.#extend(way, this.#lastEdges.get(way.token) ?? [], true);
      }
      this.#next = new Map();
      const promising = left > 0 ? layer.filter(({ promise }) => promise > this.#bestValue) : [];
      for (const way of promising) this.#extend(way, graph.edgesOf[way.token] as number[], false);
      layer = [...this.#next.values()];
    }
    return this.#found();
  }

  #begin(amount: number, prefix: readonly number[]): Way {
    const { graph, isForward, start } = this.#terms;
    const promise = Number.POSITIVE_INFINITY;
    let way: Way = { token: start, amount, parent: undefined, edge: -1, kinds: 0, lastKind: 0, gas: 0, promise };
    for (const edge of prefix) {
      const kind = graph.kinds[edge >> 1] as number;
      const token = graph.to[isForward ? edge : edge ^ 1] as number;
      const gas = way.gas + this.#gasOfHop(way, kind);
      way = { token, amount, parent: way, edge, kinds: way.kinds | kind, lastKind: kind, gas, promise };
    }
    return way;
  }

  /** Without ticks. */
  #gasOfHop({ lastKind }: Way, kind: number): number {
    const { gasModel } = this.#terms;
    const isNew = lastKind !== kind;
    if (kind === V2) return isNew ? gasModel.v2Section : gasModel.v2ExtraHop;
    return gasModel.v3Hop + (isNew ? gasModel.v3Section : 0);
  }

  #found(): FoundPath | undefined {
    const best = this.#best;
    if (best === undefined) return undefined;
    const edges: number[] = [];
    for (let way: Way | undefined = best; way?.parent !== undefined; way = way.parent) edges.unshift(way.edge);
    return { edges, amount: best.amount, value: best.promise };
  }

  /** Takes a way on over edges: to the goal, or to tokens from which it can still get better than the best path. */
  #extend(way: Way, edges: readonly number[], isEnd: boolean): void {
    const { graph, isForward, goal, budget } = this.#terms;
    const { rate } = this.#flow;
    const worth = this.#worth;
    const promised = this.#promised;
    // to the goal, or over one pool more at least
    const spent = (way.gas + (isEnd ? 1 : 2) * this.#leastGas) * this.#cost;
    budget.spend(edges.length / EDGES_FOR_A_STEP);
    for (const selling of edges) {
      const token = graph.to[selling] as number;
      if (token === goal && !isEnd) continue;
      const edge = isForward ? selling : selling ^ 1;
      // no amount does better than the first unit
      const product = (rate[edge] as number) * (worth[token] as number);
      const most = (isForward ? way.amount * product : -way.amount / product) - spent;
      if (
        !(most > this.#bestValue) ||
        (!isEnd && most <= leastOver(promised[this.#slotOf(way, edge, token)] as number))
      )
        continue;
      if (!this.#isBarred(way, edge, token)) this.#step(way, edge, token);
    }
  }

  #slotOf(way: Way, edge: number, token: number): number {
    const kind = this.#terms.graph.kinds[edge >> 1] as number;
    return token * 4 + (this.#isFree ? kind : way.kinds | kind);
  }

  #isBarred(way: Way, edge: number, token: number): boolean {
    if (this.#flow.isOpposed(edge)) return true;
    for (let passed: Way | undefined = way; passed !== undefined; passed = passed.parent) {
      if (passed.token === token) return true;
    }
    return false;
  }

  #step(way: Way, edge: number, token: number): void {
    const { graph, gasModel, goal, isAllowed, isForward } = this.#terms;
    const kind = graph.kinds[edge >> 1] as number;
    const kinds = way.kinds | kind;
    const isEnd = token === goal;
    if (!(isEnd ? isAllowed : this.#canLead)[kinds]) return;
    const amount = this.#flow.convert(edge, way.amount);
    if (amount <= 0) return;
    let gas = way.gas + this.#gasOfHop(way, kind);
    if (kind === V3) gas += gasModel.v3TickCrossed * this.#flow.crossed(edge);
    if (isEnd && kinds === V3 && way.parent === undefined) gas += gasModel.v3SingleHop;
    const worth = this.#worth[token] as number;
    const promise = (isForward ? amount * worth : -amount / worth) - (gas + (isEnd ? 0 : this.#leastGas)) * this.#cost;
    if (!(promise > this.#bestValue)) return;
    const made: Way = { token, amount, parent: way, edge, kinds, lastKind: kind, gas, promise };
    if (isEnd) {
      this.#best = made;
      this.#bestValue = promise;
      return;
    }
    const slot = this.#slotOf(way, edge, token);
    if (promise <= leastOver(this.#promised[slot] as number)) return;
    this.#promised[slot] = promise;
    this.#next.set(slot, made);
  }
}

/** A way to the same token is better when it promises this part more. */
const FINEST = 1e-5;

const leastOver = (promise: number): number => promise + Math.abs(promise) * FINEST;
