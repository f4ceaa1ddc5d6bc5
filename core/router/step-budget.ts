// How much work a quote may take. It is counted, not timed: a quote is the same for the same pools however busy the machine is.

/** Edges compared for the work of one pool asked. */
export const EDGES_FOR_A_STEP = 16;

/** A step is about one pool asked for one amount. */
export class StepBudget {
  readonly #steps: number;
  #spent = 0;

  constructor(steps: number) {
    this.#steps = steps;
  }

  spend(steps: number): void {
    this.#spent += steps;
  }

  get spent(): number {
    return this.#spent;
  }

  get isSpent(): boolean {
    return this.#spent >= this.#steps;
  }
}
