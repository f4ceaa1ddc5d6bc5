// Quotes that were asked for together stop waiting together, and are then written one after the other. All stop early enough
// for the last one to be written in time.

/** Of a quote before any has been measured. */
const USUAL_MS = 1;
/** How much of the last measure is kept when the next one is smaller. */
const DECAY = 0.9;
/** Of the deadline, at most. */
const MOST_SHARE = 0.4;

export class FinishingTime {
  readonly #now: () => number;
  #perQuoteMs = USUAL_MS;
  #underWay = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** How long before a deadline of `timeoutMs` the waiting has to end, with as many quotes under way as there are now. */
  reserveMs(timeoutMs: number): number {
    return Math.min(this.#perQuoteMs * this.#underWay, timeoutMs * MOST_SHARE);
  }

  /** A quote begins; call `waited` when its waiting has ended, and `finished` when it is written. */
  begin(): { waited(): void; finished(): void } {
    this.#underWay += 1;
    let waitedAt: { ms: number; together: number } | undefined;
    return {
      waited: () => {
        waitedAt = { ms: this.#now(), together: this.#underWay };
      },
      finished: () => {
        this.#underWay -= 1;
        if (waitedAt) this.#learn((this.#now() - waitedAt.ms) / waitedAt.together);
      },
    };
  }

  #learn(perQuoteMs: number): void {
    this.#perQuoteMs = Math.max(perQuoteMs, this.#perQuoteMs * DECAY);
  }
}
