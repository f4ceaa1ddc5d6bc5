// The results of the requests: counts by status and times, per question and in all.
import type { Sent } from "./send.ts";

export interface Figures {
  name: string;
  requests: number;
  /** Anything that is not 200, by outcome. */
  errors: ReadonlyMap<string, number>;
  /** How many of these are failures. */
  failures: number;
  /** Milliseconds from when a request was due to its answer's last byte. */
  p50: number;
  p95: number;
  p99: number;
  max: number;
}

/** The smallest value of `sorted` that at least this part of them do not exceed; 0 if there are none. */
export const quantile = (sorted: Float64Array | readonly number[], part: number): number =>
  sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? 0;

export class Tally {
  readonly #times = new Map<string, number[]>();
  readonly #errors = new Map<string, Map<string, number>>();
  readonly #failures = new Map<string, number>();
  readonly #samples = new Map<string, string>();

  /** `isLawful`: the answer is permitted, for example that there is no route for an amount. */
  take(name: string, { sent, ms, isLawful }: { sent: Sent; ms: number; isLawful: boolean }): void {
    const times = this.#times.get(name);
    if (times) times.push(ms);
    else this.#times.set(name, [ms]);
    if (sent.outcome === "200") return;
    if (!isLawful) this.#failures.set(name, (this.#failures.get(name) ?? 0) + 1);
    const errors = this.#errors.get(name) ?? new Map<string, number>();
    this.#errors.set(name, errors.set(sent.outcome, (errors.get(sent.outcome) ?? 0) + 1));
    const kind = `${name} ${sent.outcome}`;
    if (!this.#samples.has(kind)) this.#samples.set(kind, sent.start.replaceAll(/\s+/g, " ").slice(0, 200));
  }

  /** One answer of each kind of error. */
  get samples(): ReadonlyMap<string, string> {
    return this.#samples;
  }

  of(name: string): Figures {
    const errors = this.#errors.get(name) ?? new Map<string, number>();
    return { ...figures(name, this.#times.get(name) ?? []), errors, failures: this.#failures.get(name) ?? 0 };
  }

  all(name: string): Figures {
    const errors = new Map<string, number>();
    for (const some of this.#errors.values())
      for (const [outcome, count] of some) errors.set(outcome, (errors.get(outcome) ?? 0) + count);
    const failures = [...this.#failures.values()].reduce((sum, count) => sum + count, 0);
    return { ...figures(name, [...this.#times.values()].flat()), errors, failures };
  }
}

function figures(name: string, times: readonly number[]): Omit<Figures, "errors" | "failures"> {
  const sorted = Float64Array.from(times).sort();
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((part) => quantile(sorted, part)) as [number, number, number];
  return { name, requests: times.length, p50, p95, p99, max: sorted.at(-1) ?? 0 };
}
