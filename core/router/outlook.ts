// What a token is worth at the goal: about the best product of marginal rates on the way there. Layer by layer, as Bellman and
// Ford find shortest paths (lengths are logarithms of rates), but for cycles: where prices disagree a round trip can gain, so
// a way never comes to a token twice.
import type { Graph } from "./graph.ts";
import { EDGES_FOR_A_STEP, type StepBudget } from "./step-budget.ts";

/** As in the search's terms. */
export interface OutlookTerms {
  readonly graph: Graph;
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
 * prices disagree somewhere on every longer way: following all of them would take longer than what they tell is worth.
 */
const ENOUGH_EDGES = 5_000;

/** @param rate by edge: output ÷ input at the margin */
export function outlookOf(terms: OutlookTerms, rate: ArrayLike<number>): Outlook {
  const { graph, goal, budget } = terms;
  const ways = new Ways(terms, rate);
  let layer = new Set([goal]);
  let compared = 0;
  while (layer.size > 0) {
    const isEnough = compared >= ENOUGH_EDGES;
    const next = new Set<number>();
    for (const token of layer) {
      // a way that got better within the layer is lengthened here, not again in the next
      next.delete(token);
      compared += (graph.edgesOf[token] as number[]).length;
      ways.lengthen(token, { isEnough, next });
    }
    layer = next;
  }
  budget.spend(compared / EDGES_FOR_A_STEP);
  return ways.worth;
}

/** The best way from every token so far. */
class Ways {
  readonly worth: Outlook;
  /** By token: the edge that its way begins with, in the order of the walk; −1 where there is none. */
  readonly #first: Int32Array;
  readonly #graph: Graph;
  readonly #isForward: boolean;
  readonly #rate: ArrayLike<number>;

  constructor({ graph, goal, isForward }: OutlookTerms, rate: ArrayLike<number>) {
    this.#graph = graph;
    this.#isForward = isForward;
    this.#rate = rate;
    this.worth = new Float64Array(graph.edgesOf.length);
    this.worth[goal] = 1;
    this.#first = new Int32Array(graph.edgesOf.length).fill(-1);
  }

  /** Tokens that get a better way over `token` are put into `next`; where it is enough, only those that had none. */
  lengthen(token: number, { isEnough, next }: { isEnough: boolean; next: Set<number> }): void {
    const { worth } = this;
    const here = worth[token] as number;
    for (const away of this.#graph.edgesOf[token] as number[]) {
      // the walk comes from the other token to this one
      const edge = this.#isForward ? away ^ 1 : away;
      const from = this.#graph.to[away] as number;
      const before = worth[from] as number;
      const product = (this.#rate[edge] as number) * here;
      if (product <= before || (isEnough && before > 0) || this.#isOnWay(token, from)) continue;
      worth[from] = product;
      this.#first[from] = edge;
      next.add(from);
    }
  }

  /** Whether the way from `token` to the goal comes to `from`. */
  #isOnWay(token: number, from: number): boolean {
    let at = token;
    while (at !== from) {
      const edge = this.#first[at] as number;
      if (edge < 0) return false;
      at = this.#graph.to[this.#isForward ? edge : edge ^ 1] as number;
    }
    return true;
  }
}
