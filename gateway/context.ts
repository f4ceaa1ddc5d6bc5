// What an operation is given: the chain asked for, and this request's snapshot of it.
import type { ChainFile } from "../chains/chain-file.ts";
import type { QuoteSettings } from "./aggregator/settings.ts";
import type { AnswerCache } from "./cache/answer-cache.ts";
import type { Carrier } from "./carried.ts";
import type { Database } from "./database/database.ts";
import type { LiveSchemaCache } from "./database/live-schemas.ts";
import type { LoneStatements } from "./database/lone-statements.ts";
import { Snapshot } from "./database/snapshot.ts";
import { InvalidInputError, UnavailableError } from "./errors.ts";
import { timeOperation } from "./metrics/instruments.ts";

export interface Service extends Carrier {
  chains: readonly [ChainFile, ...ChainFile[]];
  database: Database;
  live: LiveSchemaCache;
  /** Without it every request begins a transaction. */
  lone: LoneStatements | undefined;
  cache: AnswerCache;
  /** Without them no external provider with a key or an address of its own is asked for swap quotes. */
  quotes?: QuoteSettings;
}

export interface OperationContext {
  service: Service;
  chain: ChainFile;
  snapshot: Snapshot;
  /** By `performance.now()`: when the request has taken all the time it may; nothing is begun after it. */
  until?: number;
}

/** With the state that is expected, in a transaction, and in another one of another server. */
const ATTEMPTS = 3;

/** Of requests that ask several things. What is under way then is finished; a statement has a limit of its own. */
export const LONGEST_REQUEST_MS = 4_000;

/** For operations of many steps, between them. @throws RequestTooLongError */
export function requireTime({ until }: Pick<OperationContext, "until">): void {
  if (until !== undefined && performance.now() > until) throw new RequestTooLongError();
}

/** 503 `TIMEOUT`: what one request asks, all of it together, takes too long. */
export class RequestTooLongError extends UnavailableError {
  override name = "RequestTooLongError";

  constructor() {
    super(
      "TIMEOUT",
      `The request has taken ${LONGEST_REQUEST_MS / 1_000} seconds. Ask for less at once, or retry later.`,
    );
  }
}

/** One public question. `run` gets parsed input and returns plain data; amounts are raw units as bigint. */
export interface Operation<Input, Output> {
  name: string;
  run(input: Input, context: OperationContext): Promise<Output>;
}

/** The chain with this id, the default one without. @throws InvalidInputError naming the chains served */
export function chainOf(service: Service, chainId: number | undefined): ChainFile {
  if (chainId === undefined) return service.chains[0];
  const chain = service.chains.find((candidate) => candidate.chainId === chainId);
  if (chain) return chain;
  const served = service.chains.map((candidate) => candidate.chainId);
  throw new InvalidInputError("chainId", `chain ${chainId} is not served; served: ${served.join(", ")}`, { served });
}

/** One request: a snapshot per chain asked, opened when first read, all ended by `close`. */
export class RequestScope {
  readonly carried = new Map<symbol, unknown>(); // see carriedBy
  readonly #service: Service;
  readonly #signal: AbortSignal | undefined;
  readonly #snapshots = new Map<number, Snapshot>();
  readonly #until: number | undefined;
  /** By what they have been answered once. */
  readonly #answered = new Set<Snapshot>();
  #isOutdated = false;

  /** When `signal` is aborted, nobody wants the answer any more: what the database is working out is cancelled. After `until` no operation begins. */
  constructor(service: Service, signal?: AbortSignal, until?: number) {
    this.#until = until;
    this.#service = service;
    this.#signal = signal;
    const abandon = () => {
      for (const snapshot of this.#snapshots.values()) snapshot.abandon();
    };
    signal?.addEventListener("abort", abandon, { once: true });
  }

  /** Something was answered of a state that the index has left since: the whole request is to be answered anew. */
  get isOutdated(): boolean {
    return this.#isOutdated;
  }

  /**
   * Runs `operation`; operations of one request on one chain see the same blocks, one after the other.
   * @throws RequestTooLongError when its turn comes too late
   */
  run<Input, Output>(operation: Operation<Input, Output>, input: Input, chainId?: number): Promise<Output> {
    const chain = chainOf(this.#service, chainId);
    let snapshot = this.#snapshots.get(chain.chainId);
    if (!snapshot) {
      const { database, live, cache } = this.#service;
      snapshot = new Snapshot({ database, live, cache, chainId: chain.chainId });
      if (this.#signal?.aborted) snapshot.abandon();
      this.#snapshots.set(chain.chainId, snapshot);
    }
    const context: OperationContext = {
      service: this.#service,
      chain,
      snapshot,
      ...(this.#until === undefined ? {} : { until: this.#until }),
    };
    const labels = { chain: chain.name, operation: operation.name };
    return context.snapshot.exclusive(() => timeOperation(labels, () => this.#answer(operation, input, context)));
  }

  async #answer<Input, Output>(
    operation: Operation<Input, Output>,
    input: Input,
    context: OperationContext,
  ): Promise<Output> {
    const { snapshot } = context;
    requireTime(context);
    const { lone } = this.#service;
    if (lone && !this.#answered.has(snapshot)) snapshot.expect(lone);
    for (let attempt = 1; ; attempt++)
      try {
        const output = await proven(snapshot, () => operation.run(input, context));
        this.#answered.add(snapshot);
        return output;
      } catch (error) {
        const isOver = attempt === ATTEMPTS || !(await snapshot.moveOn(error));
        if (isOver) throw error;
        this.#isOutdated = this.#answered.has(snapshot);
        if (this.#isOutdated) throw error;
      }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#snapshots.values()].map((snapshot) => snapshot.exclusive(() => snapshot.close())));
  }
}

/** Errors are proven too: what a request cannot have may be there by now. What is wrong with the input itself stays wrong. */
async function proven<T>(snapshot: Snapshot, answer: () => Promise<T>): Promise<T> {
  try {
    const output = await answer();
    await snapshot.prove();
    return output;
  } catch (error) {
    if (!(error instanceof InvalidInputError)) await snapshot.prove();
    throw error;
  }
}
