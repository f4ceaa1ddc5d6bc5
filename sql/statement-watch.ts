// The statements that run: each ends when it takes too long or nobody waits for it, all of them when the process is in need.
import type { DuckDBConnection } from "@duckdb/node-api";
import { SqlLimitError, SqlUnavailableError } from "../gateway/sql/sql-errors.ts";
import type { StatementLimits } from "./limits.ts";

/** How long a statement may take to stop once it is interrupted. */
const GRACE_MS = 2_000;
const AGAIN_MS = 100;
/** The memory that a statement took is given back to the system within this time. */
const GIVEN_BACK_MS = 2_000;

interface WatchSetting {
  limits: StatementLimits;
  /** A statement does not stop though it was interrupted. */
  onStuck(): void;
}

/** Ends a statement that takes too long, or that nobody waits for. */
export class StatementWatch {
  /** Why it was interrupted. */
  reason: Error | undefined;
  readonly #stopped = new AbortController();
  readonly #connection: DuckDBConnection;
  readonly #onStuck: () => void;
  readonly #timer: NodeJS.Timeout;
  #isBusy = false;
  #stuck: NodeJS.Timeout | undefined;
  #again: NodeJS.Timeout | undefined;
  readonly #detach: () => void;
  static readonly running = new Set<StatementWatch>();
  /** When another statement last ended, and when one last wanted too much memory, which takes a moment to be given back. */
  static #ended = Number.NEGATIVE_INFINITY;
  static #failed = Number.NEGATIVE_INFINITY;
  readonly #began = performance.now();
  /** Another had wanted too much shortly before this one began. */
  readonly #isLate = this.#began - StatementWatch.#failed < GIVEN_BACK_MS;

  constructor({ limits, onStuck }: WatchSetting, connection: DuckDBConnection, signal: AbortSignal | undefined) {
    this.#connection = connection;
    this.#onStuck = onStuck;
    const { seconds } = limits;
    this.#timer = setTimeout(
      () => this.stop(new SqlLimitError("seconds", seconds, "ask for fewer blocks or tokens")),
      seconds * 1_000,
    );
    const leave = () => this.stop(new SqlUnavailableError("The client has left."));
    if (signal?.aborted) leave();
    signal?.addEventListener("abort", leave, { once: true });
    this.#detach = () => signal?.removeEventListener("abort", leave);
    StatementWatch.running.add(this);
  }

  /** Aborts when the statement is stopped: what waits for a client to read need not wait any longer. */
  get stopped(): AbortSignal {
    return this.#stopped.signal;
  }

  stop(reason: Error): void {
    if (this.reason) return;
    this.reason = reason;
    if (this.#isBusy) this.#interrupt();
    this.#stopped.abort();
  }

  /**
   * `work` is what DuckDB does for the statement, one call after another. Only while it is under way can the statement be stuck: between
   * two calls it waits for its client to read, which is no reason to end the process.
   * @throws the reason once the statement was stopped
   */
  async during<T>(work: () => Promise<T>): Promise<T> {
    if (this.reason) throw this.reason;
    this.#isBusy = true;
    try {
      return await work();
    } finally {
      this.#isBusy = false;
      this.#calm();
    }
  }

  #interrupt(): void {
    this.#connection.interrupt();
    // an interrupt before the statement runs has no effect
    this.#again = setInterval(() => this.#connection.interrupt(), AGAIN_MS);
    this.#stuck = setTimeout(this.#onStuck, GRACE_MS);
  }

  #calm(): void {
    clearTimeout(this.#stuck);
    clearInterval(this.#again);
  }

  static memoryFailed(): void {
    StatementWatch.#failed = performance.now();
  }

  /** Others ran at the same time, or memory that an earlier one took may not have been given back. */
  get hadCompany(): boolean {
    return (
      this.#isLate || StatementWatch.#ended > this.#began || [...StatementWatch.running].some((other) => other !== this)
    );
  }

  end(): void {
    StatementWatch.#ended = performance.now();
    clearTimeout(this.#timer);
    this.#detach();
    StatementWatch.running.delete(this);
  }
}

/** Interrupts all statements that run. */
export function stopStatements(reason: Error): void {
  for (const watch of StatementWatch.running) watch.stop(reason);
}
