// What has gone through every edge so far, in double precision: the pools as a route in the making has left them.
import { curveOfEdge, type Graph } from "./graph.ts";
import type { StepBudget } from "./step-budget.ts";

/**
 * A search walks with the amount that is known: forward from the input for `exactIn`, back from the output for `exactOut`.
 * `push` sells an edge's input or buys its output accordingly.
 */
export class Flow {
  readonly graph: Graph;
  readonly isForward: boolean;
  /** By edge: output ÷ input at the margin, now. */
  readonly rate: Float64Array;
  /** Whether pools that something went through convert at the rate they have, however much comes. */
  keepsRates = false;
  readonly #given: Float64Array;
  readonly #sought: Float64Array;
  readonly #segment: Int32Array;
  readonly #liquidity: Float64Array;
  readonly #u: Float64Array;
  readonly #isTouched: Uint8Array;
  readonly #isClosed: Uint8Array;
  readonly #touched: number[] = [];
  readonly #budget: StepBudget;

  constructor({ graph, isForward, budget }: { graph: Graph; isForward: boolean; budget: StepBudget }) {
    const edges = graph.rate.length;
    this.graph = graph;
    this.isForward = isForward;
    this.#budget = budget;
    this.rate = new Float64Array(graph.rate);
    this.#given = new Float64Array(edges);
    this.#sought = new Float64Array(edges);
    this.#segment = new Int32Array(edges);
    this.#liquidity = new Float64Array(edges);
    this.#u = new Float64Array(edges);
    this.#isTouched = new Uint8Array(edges);
    this.#isClosed = new Uint8Array(edges);
  }

  /** Whether nothing may be sent this way: something went through the pool the other way, or it is closed. */
  isShut(edge: number): boolean {
    return this.#isTouched[edge ^ 1] === 1 || this.#isClosed[edge] === 1;
  }

  /** Nothing goes this way from now on. */
  close(edge: number): void {
    this.#isClosed[edge] = 1;
    this.rate[edge] = 0;
  }

  /** What `amount` more would be converted to; −1 when the pool cannot take it. */
  convert(edge: number, amount: number): number {
    this.#budget.spend(1);
    const curve = curveOfEdge(this.graph, edge);
    if (this.keepsRates && this.#isTouched[edge] === 1) {
      curve.at.segment = this.#segment[edge] as number;
      return this.isForward ? amount * (this.rate[edge] as number) : amount / (this.rate[edge] as number);
    }
    const given = this.#given[edge] as number;
    const sought = this.#sought[edge] as number;
    if (given > 0 && curve.reserves !== undefined) {
      const before = this.isForward ? { input: given, output: sought } : { input: sought, output: given };
      return curve.swapAfter(before, amount, this.isForward);
    }
    const hint = this.#segment[edge] as number;
    const total = this.isForward ? curve.outputFor(given + amount, hint) : curve.inputFor(given + amount, hint);
    return total < 0 ? -1 : Math.max(0, total - sought);
  }

  /** Initialised ticks that the last `convert`, which was of this edge, crossed. */
  crossed(edge: number): number {
    return curveOfEdge(this.graph, edge).at.segment - (this.#segment[edge] as number);
  }

  /** Converts and keeps. */
  push(edge: number, amount: number): number {
    const converted = this.convert(edge, amount);
    if (converted < 0) return -1;
    if (this.#isTouched[edge] === 0) {
      this.#isTouched[edge] = 1;
      this.#touched.push(edge);
    }
    const curve = curveOfEdge(this.graph, edge);
    const { segment, liquidity, u } = curve.at;
    this.#given[edge] = (this.#given[edge] as number) + amount;
    this.#sought[edge] = (this.#sought[edge] as number) + converted;
    this.#segment[edge] = segment;
    this.#liquidity[edge] = liquidity;
    this.#u[edge] = u;
    this.rate[edge] = curve.keep * u * u;
    return converted;
  }

  /** How fast the rate falls with what goes in (forward) or out: −d ln(rate) ÷ d(amount). */
  bend(edge: number): number {
    const curve = curveOfEdge(this.graph, edge);
    const isTouched = this.#isTouched[edge] === 1;
    const liquidity = (isTouched ? this.#liquidity[edge] : curve.liquidity[0]) ?? 0;
    const u = isTouched ? (this.#u[edge] as number) : (curve.u[0] ?? 0);
    if (liquidity <= 0 || u <= 0) return Number.POSITIVE_INFINITY;
    return this.isForward ? (2 * curve.keep * u) / liquidity : 2 / (u * liquidity);
  }

  /** Initialised ticks that were crossed in all pools, but for those without liquidity between them. */
  ticksCrossed(): number {
    let ticks = 0;
    for (const edge of this.#touched) ticks += this.#segment[edge] as number;
    return ticks;
  }

  /** Back to untouched pools. */
  clear(): void {
    for (const edge of this.#touched) {
      this.#isTouched[edge] = 0;
      this.#given[edge] = 0;
      this.#sought[edge] = 0;
      this.#segment[edge] = 0;
      this.rate[edge] = this.#isClosed[edge] === 1 ? 0 : (this.graph.rate[edge] as number);
    }
    this.#touched.length = 0;
  }
}
