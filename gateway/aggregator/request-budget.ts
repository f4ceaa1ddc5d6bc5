// How often one provider is asked: a limit per second, a limit at once, and none while it asked to be left alone.

interface BudgetRules {
  requestsPerSecond: number;
  /** Most requests under way. */
  concurrency: number;
}

type Refusal = "too many requests per second" | "too many requests under way" | "asked to be left alone";

export class RequestBudget {
  readonly #rules: BudgetRules;
  readonly #now: () => number;
  #tokens: number;
  #filledAt: number;
  #underWay = 0;
  #leftAloneUntil = 0;

  constructor(rules: BudgetRules, now: () => number = () => performance.now()) {
    this.#rules = rules;
    this.#now = now;
    this.#tokens = this.#burst;
    this.#filledAt = now();
  }

  get underWay(): number {
    return this.#underWay;
  }

  /** Two seconds' worth may be asked at once. */
  get #burst(): number {
    return Math.max(1, this.#rules.requestsPerSecond * 2);
  }

  /** Takes a place for a quote of this many requests, to be given back by `release`; or says why there is none. */
  take(requests = 1): Refusal | undefined {
    const now = this.#now();
    if (now < this.#leftAloneUntil) return "asked to be left alone";
    if (this.#underWay >= this.#rules.concurrency) return "too many requests under way";
    const earned = (Math.max(0, now - this.#filledAt) / 1000) * this.#rules.requestsPerSecond;
    this.#tokens = Math.min(this.#burst, this.#tokens + earned);
    this.#filledAt = now;
    if (this.#tokens < 1) return "too many requests per second";
    this.spend(requests);
    this.#underWay++;
    return undefined;
  }

  /** For a quote that has its place: later quotes wait for whatever it takes beyond what is left. */
  spend(requests: number): void {
    this.#tokens -= requests;
  }

  release(): void {
    this.#underWay--;
  }

  /** The provider said when it wants to hear of us again. */
  leaveAlone(milliseconds: number): void {
    this.#leftAloneUntil = Math.max(this.#leftAloneUntil, this.#now() + milliseconds);
  }
}
