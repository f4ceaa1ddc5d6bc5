// The best single path for an amount through the pools as they are now, over as many pools as pay: layer by layer, the best way to
// each token is extended. A way is given up when a way over as few pools or fewer brought about as much, or when the outlook from
// where it ends does not take it past the best path found.

import { wholeUnits } from "./curve.ts";
import type { EdgeLists } from "./edge-lists.ts";
import type { Flow } from "./flow.ts";
import { gasModel, gasOfHop } from "./gas.ts";
import { edgeLists, isPaidToItsToken, V2, V3 } from "./graph.ts";
import type { Outlook } from "./outlook.ts";
import type { SearchTerms } from "./search-terms.ts";
import { EDGES_FOR_A_STEP } from "./step-budget.ts";
import { type Way, WayTree } from "./way-tree.ts";

export interface FoundPath {
  /** In the order of the walk: backward for `exactOut`. */
  readonly edges: readonly number[];
  /** Of the goal's token. */
  readonly amount: number;
  /** Output less gas, or minus (input and gas): more is better. */
  readonly value: number;
}

interface PathSearch {
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

/** A way to the same token is better when it promises this part more. */
const LEAST_GAIN = 2e-4;

/** Slots of a token, by the kinds of pools passed. */
const SLOTS = 4;

export class PathFinder {
  readonly #terms: SearchTerms;
  readonly #flow: Flow;
  /** Whether kinds so far may still become an allowed path. */
  readonly #canLead: readonly boolean[];
  /** Whether ways are alike whatever kinds they passed before the last. */
  readonly #isFree: boolean;
  readonly #leastGas: number;
  /** At most, of a new section instead of a hop. */
  readonly #sectionGas: number;
  /** Edges by the token that a walk leaves, and by the one that it comes to. */
  readonly #leaving: EdgeLists;
  readonly #coming: EdgeLists;
  /** By token: where its edges to the goal begin, among those that come there; −1 where there are none. */
  readonly #lastPlace: Int32Array;
  readonly #ways = new WayTree();
  /**
   * By slot: what a way has to promise to be better than all so far. Where ways are alike but for the last kind, a token's slot 0
   * holds what decides whatever that is: the best promise less what a section of the other kind may cost.
   */
  readonly #floor: Float64Array;
  /** By slot, backward: a way that needs less of the token than this is not given up, whatever it promises. */
  readonly #least: Float64Array;
  /** By slot: the way of the next layer; −1 where there is none. */
  readonly #nextOf: Int32Array;
  /** By slot: the one of the next layer that needs least, where that is another one. */
  readonly #leastOf: Int32Array;
  #next: number[] = [];
  #worth: Outlook = new Float64Array();
  #cost = 0;
  #best = -1;
  #bestValue = 0;

  constructor(terms: SearchTerms, flow: Flow) {
    this.#terms = terms;
    this.#flow = flow;
    const [, v2, v3, mixed] = terms.isAllowed as [boolean, boolean, boolean, boolean];
    this.#canLead = [true, v2 || mixed, v3 || mixed, mixed];
    this.#isFree = v2 && v3 && mixed;
    this.#leastGas = Math.min(gasModel.v3Hop, gasModel.v2ExtraHop);
    this.#sectionGas = Math.max(gasModel.v3Section, gasModel.v2Section - gasModel.v2ExtraHop);
    const { sold, bought } = edgeLists(terms.graph);
    [this.#leaving, this.#coming] = terms.isForward ? [sold, bought] : [bought, sold];
    const tokens = terms.graph.addressOfToken.length;
    this.#floor = new Float64Array(tokens * SLOTS);
    this.#least = new Float64Array(tokens * SLOTS);
    this.#nextOf = new Int32Array(tokens * SLOTS).fill(-1);
    this.#leastOf = new Int32Array(tokens * SLOTS).fill(-1);
    this.#lastPlace = new Int32Array(tokens).fill(-1);
    const { start, other } = this.#coming;
    for (let place = (start[terms.goal + 1] as number) - 1; place >= (start[terms.goal] as number); place--) {
      this.#lastPlace[other[place] as number] = place;
    }
  }

  find({ amount, prefix, above, outlook, costOfGas }: PathSearch): FoundPath | undefined {
    const { maxHops } = this.#terms;
    this.#worth = outlook;
    this.#cost = costOfGas ?? this.#terms.costOfGas;
    this.#best = -1;
    this.#bestValue = above;
    this.#floor.fill(Number.NEGATIVE_INFINITY);
    // forward no way needs less than none
    this.#least.fill(this.#terms.isForward ? 0 : Number.POSITIVE_INFINITY);
    this.#ways.clear();
    let layer: readonly number[] = [this.#begin(amount, prefix ?? [])];
    for (let left = maxHops - 1 - (prefix?.length ?? 0); left >= 0 && layer.length > 0; left--) {
      // ends first: the better the best path, the fewer ways go on
      for (const way of layer) this.#finish(way);
      layer = left > 0 ? this.#lengthen(layer) : [];
    }
    return this.#found();
  }

  /** The ways of one pool more. */
  #lengthen(layer: readonly number[]): readonly number[] {
    this.#next = [];
    for (const way of layer) this.#extend(way);
    for (const way of this.#next) {
      const slot = this.#slotOf(way);
      this.#nextOf[slot] = -1;
      this.#leastOf[slot] = -1;
    }
    return this.#next;
  }

  #isPromising(way: number): boolean {
    return (this.#ways.promise[way] as number) > this.#bestValue;
  }

  #slotOf(way: number): number {
    const { token, kinds, lastKind } = this.#ways;
    return (token[way] as number) * SLOTS + (this.#isFree ? (lastKind[way] as number) : (kinds[way] as number));
  }

  #begin(amount: number, prefix: readonly number[]): number {
    const { graph, isForward, start } = this.#terms;
    const promise = Number.POSITIVE_INFINITY;
    const first = { token: start, amount, parent: -1, edge: -1, kinds: 0, lastKind: 0, gas: 0, promise };
    let way = this.#ways.add(first);
    let { kinds, lastKind, gas } = first;
    for (const edge of prefix) {
      const kind = graph.kinds[edge >> 1] as number;
      const token = graph.to[isForward ? edge : edge ^ 1] as number;
      gas += gasOfHop(lastKind, kind);
      kinds |= kind;
      lastKind = kind;
      way = this.#ways.add({ token, amount, parent: way, edge, kinds, lastKind, gas, promise });
    }
    return way;
  }

  #found(): FoundPath | undefined {
    const best = this.#best;
    if (best < 0) return undefined;
    const { amount, promise } = this.#ways;
    return { edges: this.#ways.edgesOf(best), amount: amount[best] as number, value: promise[best] as number };
  }

  /** Takes a way to the goal. */
  #finish(way: number): void {
    if (!this.#isPromising(way)) return;
    const { goal, isForward, isAllowed, budget } = this.#terms;
    const { start, other, kind, edge, rate, next } = this.#coming;
    const from = this.#ways.token[way] as number;
    const amount = this.#ways.amount[way] as number;
    const kinds = this.#ways.kinds[way] as number;
    const spent = ((this.#ways.gas[way] as number) + this.#leastGas) * this.#cost;
    const first = this.#lastPlace[from] as number;
    if (first < 0) return;
    const end = start[goal + 1] as number;
    let compared = 0;
    for (let place = first; place < end && other[place] === from; compared++) {
      const most = (isForward ? amount * (rate[place] as number) : -amount / (rate[place] as number)) - spent;
      if (!(most > this.#bestValue) || !isAllowed[kinds | (kind[place] as number)]) {
        place = next[place] as number;
        continue;
      }
      this.#step(way, { edge: edge[place] as number, token: goal, kind: kind[place] as number });
      place++;
    }
    budget.spend(compared / EDGES_FOR_A_STEP);
  }

  /** Takes a way on to tokens from which it can still get better than the best path. */
  #extend(way: number): void {
    if (!this.#isPromising(way)) return;
    const { goal, isForward, budget } = this.#terms;
    const { start, other, kind, edge, rate, next } = this.#leaving;
    const worth = this.#worth;
    const floor = this.#floor;
    const least = this.#least;
    const from = this.#ways.token[way] as number;
    const amount = this.#ways.amount[way] as number;
    const kinds = this.#ways.kinds[way] as number;
    // over one pool more at least
    const spent = ((this.#ways.gas[way] as number) + 2 * this.#leastGas) * this.#cost;
    const end = start[from + 1] as number;
    let compared = 0;
    for (let place = start[from] as number; place < end; compared++) {
      const token = other[place] as number;
      const slot = token * SLOTS + (this.#isFree ? (kind[place] as number) : kinds | (kind[place] as number));
      // no amount does better than the first unit of an untouched pool
      const product = (rate[place] as number) * (worth[token] as number);
      const most = (isForward ? amount * product : -amount / product) - spent;
      const isBetter =
        (most > (floor[slot] as number) && most > (floor[token * SLOTS] as number)) ||
        amount < (least[slot] as number) * (rate[place] as number);
      if (
        !(most > this.#bestValue && isBetter) ||
        token === goal ||
        !this.#canLead[kinds | (kind[place] as number)] ||
        this.#ways.hasPassed(way, token)
      ) {
        place = next[place] as number;
        continue;
      }
      this.#step(way, { edge: edge[place] as number, token, kind: kind[place] as number });
      place++;
    }
    budget.spend(compared / EDGES_FOR_A_STEP);
  }

  #step(way: number, { edge, token, kind }: { edge: number; token: number; kind: number }): void {
    const { goal, isForward } = this.#terms;
    const ways = this.#ways;
    if (this.#flow.isShut(edge) || (kind === V2 && ways.lastKind[way] === V2 && this.#isRefused(way, edge))) return;
    const amount = wholeUnits(this.#flow.convert(edge, ways.amount[way] as number), { isForward, isPair: kind === V2 });
    if (amount <= 0) return;
    const isEnd = token === goal;
    const kinds = (ways.kinds[way] as number) | kind;
    let gas = (ways.gas[way] as number) + gasOfHop(ways.lastKind[way] as number, kind);
    if (kind === V3) gas += gasModel.v3TickCrossed * this.#flow.crossed(edge);
    if (isEnd && kinds === V3 && (ways.parent[way] as number) < 0) gas += gasModel.v3SingleHop;
    const worth = this.#worth[token] as number;
    const promise = (isForward ? amount * worth : -amount / worth) - (gas + (isEnd ? 0 : this.#leastGas)) * this.#cost;
    if (!(promise > this.#bestValue)) return;
    const made = { token, amount, parent: way, edge, kinds, lastKind: kind, gas, promise };
    if (isEnd) {
      this.#best = ways.add(made);
      this.#bestValue = promise;
      return;
    }
    this.#wait(made);
  }

  #isRefused(way: number, edge: number): boolean {
    const { graph, isForward } = this.#terms;
    const last = this.#ways.edge[way] as number;
    return isForward ? isPaidToItsToken(graph, last, edge) : isPaidToItsToken(graph, edge, last);
  }

  /**
   * For the next layer, if no way to the same token promises as much, or backward none needs as little of it: a pool of dust can make a
   * token seem to cost nothing, and what is needed of it not to matter.
   */
  #wait(made: Way): void {
    const { token, amount, promise, kinds, lastKind } = made;
    const slot = token * SLOTS + (this.#isFree ? lastKind : kinds);
    const ofToken = token * SLOTS;
    const isPromising = promise > Math.max(this.#floor[slot] as number, this.#floor[ofToken] as number);
    if (!isPromising && !(amount < (this.#least[slot] as number))) return;
    if (!this.#terms.isForward) {
      this.#least[slot] = Math.min(this.#least[slot] as number, amount * (1 - LEAST_GAIN));
    }
    if (!isPromising) {
      this.#place(made, slot, this.#leastOf);
      return;
    }
    this.#floor[slot] = promise + Math.abs(promise) * LEAST_GAIN;
    if (this.#isFree) {
      this.#floor[ofToken] = Math.max(this.#floor[ofToken] as number, promise - this.#sectionGas * this.#cost);
    }
    if (!this.#terms.isForward) this.#keepLeast(slot, amount);
    this.#place(made, slot, this.#nextOf);
  }

  /** Where a more promising way will need `amount`, the one in its place stays if it needs less than that and all others. */
  #keepLeast(slot: number, amount: number): void {
    const { amount: needed } = this.#ways;
    const [replaced, least] = [this.#nextOf[slot] as number, this.#leastOf[slot] as number];
    if (replaced < 0 || !((needed[replaced] as number) < amount)) return;
    if (least >= 0 && (needed[least] as number) <= (needed[replaced] as number)) return;
    this.#leastOf[slot] = replaced;
    this.#nextOf[slot] = least;
  }

  #place(made: Way, slot: number, wayOf: Int32Array): void {
    const replaced = wayOf[slot] as number;
    if (replaced >= 0) {
      this.#ways.put(replaced, made);
    } else {
      const added = this.#ways.add(made);
      wayOf[slot] = added;
      this.#next.push(added);
    }
  }
}
