// Leaves a provider that keeps failing alone: after a number of failures in a row nobody asks it for a while, then one asker
// tries.

interface BreakerRules {
  failuresToOpen: number;
  /** First pause; doubled for each trial that fails, up to `longestPauseMs`. */
  pauseMs: number;
  longestPauseMs: number;
}

export const breakerRules: BreakerRules = { failuresToOpen: 5, pauseMs: 10_000, longestPauseMs: 120_000 };

export type BreakerState = "closed" | "trying" | "open";

export class CircuitBreaker {
  readonly #rules: BreakerRules;
  readonly #now: () => number;
  #failures = 0;
  #trials = 0;
  #openUntil: number | undefined;
  #isTrying = false;

  constructor(rules: BreakerRules = breakerRules, now: () => number = () => performance.now()) {
    this.#rules = rules;
    this.#now = now;
  }

  get state(): BreakerState {
    if (this.#openUntil === undefined) return "closed";
    return this.#isTrying ? "trying" : "open";
  }

  /** Until somebody is let through; 0 where that is now, or somebody is trying. */
  get pauseLeftMs(): number {
    return Math.max(0, (this.#openUntil ?? 0) - this.#now());
  }

  /** Whether to ask now. After the pause exactly one asker is let through until it reports how it went. */
  admit(): boolean {
    if (this.#openUntil === undefined) return true;
    if (this.#isTrying || this.#now() < this.#openUntil) return false;
    this.#isTrying = true;
    return true;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#trials = 0;
    this.#openUntil = undefined;
    this.#isTrying = false;
  }

  /** Failures of questions asked before it opened change nothing any more. */
  failed(): void {
    if (this.#openUntil !== undefined && !this.#isTrying) return;
    this.#failures++;
    if (this.#isTrying) this.#trials++;
    else if (this.#failures < this.#rules.failuresToOpen) return;
    this.#isTrying = false;
    const pause = Math.min(this.#rules.pauseMs * 2 ** this.#trials, this.#rules.longestPauseMs);
    this.#openUntil = this.#now() + pause;
  }

  /** The asker gave up before it knew: somebody else may try. */
  unknown(): void {
    this.#isTrying = false;
  }
}
