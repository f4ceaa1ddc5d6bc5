// What is counted while requests are answered, by Prometheus' rules: seconds, totals, and labels that come from code alone.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { publicError } from "./errors.ts";

export const registry = new Registry();
// Under the names that every exporter of a Node process uses.
collectDefaultMetrics({ register: registry });

/** Seconds to the first byte, by route pattern, method and status. */
export const requestSeconds = new Histogram({
  name: "tidemark_http_request_seconds",
  help: "Time to the first byte of an answer",
  labelNames: ["route", "method", "status"],
  buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
  registers: [registry],
});

const operationSeconds = new Histogram({
  name: "tidemark_operation_seconds",
  help: "Time of one question, whichever skin it came through; the outcome is ok or an error's code",
  labelNames: ["chain", "operation", "outcome"],
  buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
  registers: [registry],
});

/** Runs one question and notes how long it took and how it ended. */
export async function timeOperation<T>(
  labels: { chain: string; operation: string },
  run: () => Promise<T>,
): Promise<T> {
  const started = performance.now();
  let outcome = "ok";
  try {
    return await run();
  } catch (error) {
    outcome = publicError(error).code;
    throw error;
  } finally {
    operationSeconds.observe({ ...labels, outcome }, (performance.now() - started) / 1000);
  }
}

/** Time until a request had a database connection. */
export const connectionSeconds = new Histogram({
  name: "tidemark_database_wait_seconds",
  help: "Time until a request had a database connection of its own",
  buckets: [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5],
  registers: [registry],
});

/** `read`; `behind`: a replica without something it must have; `superseded`: a primary of before a promotion; `down`. */
export const databaseReads = new Counter({
  name: "tidemark_database_reads_total",
  help: "Attempts to read one of several servers, by outcome",
  labelNames: ["server", "outcome"],
  registers: [registry],
});

/** Seconds until the first rows of a statement; the outcome is ok or an error's code. */
export const sqlSeconds = new Histogram({
  name: "tidemark_sql_seconds",
  help: "Time until a SQL statement's answer began; the outcome is ok or an error's code",
  labelNames: ["chain", "outcome"],
  buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  registers: [registry],
});

/** Of the SQL process since it was started. */
export const sqlRows = new Gauge({
  name: "tidemark_sql_rows",
  help: "Rows that the SQL process has given since it was started",
  labelNames: ["chain"],
  registers: [registry],
});

/** 1 while the SQL process answers; of chains that have one. */
export const sqlUp = new Gauge({
  name: "tidemark_sql_up",
  help: "Whether the SQL process answers",
  labelNames: ["chain"],
  registers: [registry],
});

/** What is in use for a while: how many just now, and since when. Read when /metrics is. */
class UseGauge extends Gauge {
  readonly #begun = new Set<{ since: number }>();

  /** Counts one more from now on; call what it returns once its use ends. */
  begin(): () => void {
    const entry = { since: performance.now() };
    this.#begun.add(entry);
    return () => {
      this.#begun.delete(entry);
    };
  }

  get count(): number {
    return this.#begun.size;
  }

  get oldestSeconds(): number {
    const now = performance.now();
    return [...this.#begun].reduce((oldest, { since }) => Math.max(oldest, (now - since) / 1000), 0);
  }
}

/** Database connections that requests read by. */
export const connectionsInUse = new UseGauge({
  name: "tidemark_open_snapshots",
  help: "Database connections that requests read by just now",
  registers: [registry],
  collect() {
    this.set(connectionsInUse.count);
  },
});

new Gauge({
  name: "tidemark_oldest_snapshot_seconds",
  help: "How long the oldest of these connections has been in use; 0 without any",
  registers: [registry],
  collect() {
    this.set(connectionsInUse.oldestSeconds);
  },
});

/** How the router made the state of a block: from that of a block before (`near`), or from the `database` whole. */
export const routerStates = new Counter({
  name: "tidemark_router_states_total",
  help: "States of all pools that were made for quotes, by what they were made from",
  labelNames: ["chain", "from"],
  registers: [registry],
});

/** Outcomes of the providers for swap quotes, as the quotes themselves explain them. */
export const providerOutcomes = new Counter({
  name: "tidemark_quote_provider_outcomes_total",
  help: "Outcomes of providers for quotes",
  labelNames: ["chain", "provider", "status"],
  registers: [registry],
});

/** `passed`, `failed`, or `untried` where nobody could pay or the node did not answer. */
export const quoteTrials = new Counter({
  name: "tidemark_quote_trials_total",
  help: "Offers that were to be tried out on the node of SIMULATION_RPC_URL, by what came of it",
  labelNames: ["chain", "verdict"],
  registers: [registry],
});

export const providerSeconds = new Histogram({
  name: "tidemark_quote_provider_seconds",
  help: "Time until a provider's quote was there",
  labelNames: ["chain", "provider"],
  buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 1.5, 2, 2.5, 5],
  registers: [registry],
});

/** 0 asked, 1 being tried after a pause, 2 left alone after failing several times. */
export const providerBreaker = new Gauge({
  name: "tidemark_quote_provider_breaker",
  help: "0 closed, 1 trying, 2 open",
  labelNames: ["chain", "provider"],
  registers: [registry],
});
