// What a token is worth at the goal: about the best product of marginal rates on the way there. Found layer by layer, as Bellman and
// Ford find shortest paths (lengths are logarithms of rates), but without cycles: where prices disagree a round trip can gain, so a
// way never comes to a token twice.
import type { EdgeLists } from "./edge-lists.ts";
import { edgeLists, type Graph } from "./graph.ts";
import { EDGES_FOR_A_STEP, type StepBudget } from "./step-budget.ts";

/** As in the search's terms. */
interface OutlookTerms {
  readonly graph: Graph;
  readonly start: number;
  readonly goal: number;
  readonly isForward: boolean;
  readonly budget: StepBudget;
}

/**
 * By token. `exactIn`: units of the goal's token for one of it. `exactOut`: units of it for one of the goal's token. 0 where there
 * is no way.
 */
export type Outlook = Float64Array;

/**
 * Ways get longer as long as fewer edges than this were compared; then only tokens without a way get one. In a large world
 * prices disagree somewhere on every longer way: following all of them would take more time than the result is worth.
 */
const ENOUGH_EDGES = 5_000;

/** Above it, rates of absurd pools would multiply to infinity, where one way is as good as another. */
const HIGHEST = 1e150;

/** @param rate by edge: output ÷ input at the margin */
export function outlookOf(terms: OutlookTerms, rate: ArrayLike<number>): Outlook {
  const ways = new Ways(terms, rate);
  let layer = new Set([terms.goal]);
  let compared = 0;
  while (layer.size > 0) {
    const isEnough = compared >= ENOUGH_EDGES;
    const next = new Set<number>();
    for (const token of layer) {
      // a way that got better within the layer is lengthened here, not again in the next
      next.delete(token);
      // no path comes to the token that it begins with again
      if (token === terms.start) continue;
      compared += ways.lengthen(token, { isEnough, next });
    }
    layer = next;
  }
  terms.budget.spend(compared / EDGES_FOR_A_STEP);
  return ways.worth;
}

/**
 * A token's other way counts where it makes the one before it worth this many times more. Prices of live pools differ by less, and
 * following each of their round trips takes time and finds nothing.
 */
const AT_ODDS = 1.02;

const NONE = -1;

/** The best ways from every token so far. */
class Ways {
  readonly worth: Outlook;
  /**
   * By token: its best way, and the best one before that, which goes first to another token. Where two pools are at odds, the best way
   * from each of their tokens may lead through the other token, and only with the other way can both be worth what they are.
   */
  readonly #best: Int32Array;
  readonly #other: Int32Array;
  readonly #otherWorth: Float64Array;
  /** By way: where it begins, and the way from its next token on. */
  #token: Int32Array;
  #rest: Int32Array;
  #count = 0;
  /** The walk comes from the other token to this one. */
  readonly #lists: EdgeLists;
  readonly #rate: ArrayLike<number>;

  constructor({ graph, goal, isForward }: OutlookTerms, rate: ArrayLike<number>) {
    const tokens = graph.addressOfToken.length;
    this.#lists = isForward ? edgeLists(graph).bought : edgeLists(graph).sold;
    this.#rate = rate;
    this.worth = new Float64Array(tokens);
    this.#best = new Int32Array(tokens).fill(NONE);
    this.#other = new Int32Array(tokens).fill(NONE);
    this.#otherWorth = new Float64Array(tokens);
    this.#token = new Int32Array(2 * tokens + 1);
    this.#rest = new Int32Array(2 * tokens + 1);
    this.#take(goal, NONE, 1);
  }

  /**
   * Tokens that get a better way over `token` are put into `next`; where it is enough, only those that had none.
   * @returns how many edges `token` has
   */
  lengthen(token: number, { isEnough, next }: { isEnough: boolean; next: Set<number> }): number {
    const { worth } = this;
    const lists = this.#lists;
    const here = worth[token] as number;
    const start = lists.start[token] as number;
    const end = lists.start[token + 1] as number;
    for (let place = start; place < end; ) {
      const from = lists.other[place] as number;
      const before = worth[from] as number;
      // no rate is better than that of the pool untouched
      if ((lists.rate[place] as number) * here <= before || (isEnough && before > 0)) {
        place = lists.next[place] as number;
        continue;
      }
      const rate = this.#rate[lists.edge[place] as number] as number;
      if (rate * here > before && this.#comeFrom(from, token, rate)) next.add(from);
      place++;
    }
    return end - start;
  }

  /** Takes the way over `token`, by its best one that does not come to `from`, if it is better than the best from there so far. */
  #comeFrom(from: number, token: number, rate: number): boolean {
    let rest = this.#best[token] as number;
    let there = this.worth[token] as number;
    if (this.#passes(rest, from)) {
      rest = this.#other[token] as number;
      there = this.#otherWorth[token] as number;
      if (rate * there <= AT_ODDS * (this.worth[from] as number) || this.#passes(rest, from)) return false;
    }
    const product = Math.min(rate * there, HIGHEST);
    if (product <= (this.worth[from] as number)) return false;
    this.#take(from, rest, product);
    return true;
  }

  #take(token: number, rest: number, worth: number): void {
    const before = this.#best[token] as number;
    if (before !== NONE && this.#token[this.#rest[before] as number] !== this.#token[rest]) {
      this.#other[token] = before;
      this.#otherWorth[token] = this.worth[token] as number;
    }
    const way = this.#count++;
    if (way === this.#token.length) {
      this.#token = doubled(this.#token);
      this.#rest = doubled(this.#rest);
    }
    this.#token[way] = token;
    this.#rest[way] = rest;
    this.#best[token] = way;
    this.worth[token] = worth;
  }

  #passes(way: number, token: number): boolean {
    let at = way;
    while (at !== NONE && this.#token[at] !== token) at = this.#rest[at] as number;
    return at !== NONE;
  }
}

function doubled(numbers: Int32Array): Int32Array {
  const longer = new Int32Array(2 * numbers.length);
  longer.set(numbers);
  return longer;
}
