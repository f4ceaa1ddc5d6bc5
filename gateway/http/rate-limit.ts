// How often one client may ask. A bucket that leaks evenly (GCRA): one number per client, no timers.
import { GatewayError } from "../errors.ts";

/** `requests` at once, and as many again evenly over `seconds`. */
export interface Rate {
  requests: number;
  seconds: number;
}

/** Clients that are remembered: a few megabytes. */
const MOST_CLIENTS = 50_000;
/** Sums of fractions of a millisecond are not exact. */
const SLACK_MS = 1e-3;

export class RateLimiter {
  readonly #rate: Rate;
  readonly #now: () => number;
  /** When the client's bucket will be empty again, in milliseconds. */
  readonly #emptyAt = new Map<string, number>();

  constructor(rate: Rate, now: () => number = () => performance.now()) {
    this.#rate = rate;
    this.#now = now;
  }

  /** How many clients are remembered. */
  get size(): number {
    return this.#emptyAt.size;
  }

  /** Counts one request of `client`. @throws RateLimitedError when it is one too many; that one is not counted */
  admit(client: string): void {
    const now = this.#now();
    const perRequest = (this.#rate.seconds * 1_000) / this.#rate.requests;
    const emptyAt = Math.max(this.#emptyAt.get(client) ?? now, now);
    const wait = emptyAt - now - perRequest * (this.#rate.requests - 1);
    if (wait > SLACK_MS) throw new RateLimitedError(this.#rate, Math.ceil(wait / 1_000));
    // the one that asked last comes last
    this.#emptyAt.delete(client);
    this.#emptyAt.set(client, emptyAt + perRequest);
    if (this.#emptyAt.size > MOST_CLIENTS) this.#forgetSome(now);
  }

  /** Clients whose bucket is empty are as good as new; if there are none, the one whose last request is the oldest. */
  #forgetSome(now: number): void {
    for (const [client, emptyAt] of this.#emptyAt) if (emptyAt <= now) this.#emptyAt.delete(client);
    for (const client of this.#emptyAt.keys()) {
      if (this.#emptyAt.size <= MOST_CLIENTS * 0.9) return;
      this.#emptyAt.delete(client);
    }
  }
}

/** 429 with the seconds after which one more request is let through. */
class RateLimitedError extends GatewayError {
  override name = "RateLimitedError";

  constructor({ requests, seconds }: Rate, retryAfterSeconds: number) {
    super(`At most ${requests} requests in ${seconds} seconds. Retry in ${retryAfterSeconds} seconds.`, {
      code: "RATE_LIMITED",
      status: 429,
      retryAfterSeconds,
      details: { requests, seconds },
    });
  }
}
