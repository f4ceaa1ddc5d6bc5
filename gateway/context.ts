// What an operation is given: the chain asked for, and this request's snapshot of it.
import type { ChainFile } from "../chains/chain-file.ts";
import type { AnswerCache } from "./cache/answer-cache.ts";
import type { BatchedStatements } from "./database/batched-statements.ts";
import type { ChainMemory } from "./database/chain-memory.ts";
import type { Database } from "./database/database.ts";
import { Snapshot } from "./database/snapshot.ts";
import { InvalidInputError } from "./errors.ts";
import { type Deadline, requireTime } from "./history/require-time.ts";
import { timeOperation } from "./instruments.ts";
import { HistoryLoadingError, HistoryUnavailableError, prunedRangeOf } from "./lake/lake-errors.ts";
import type { PastLoader } from "./lake/lake-history.ts";
import type { WithMemos } from "./memo-per-object.ts";
import type { QuoteSettings } from "./quote-settings.ts";
import type { SqlAccess } from "./sql/sql-access.ts";

export interface Service extends WithMemos {
  chains: readonly [ChainFile, ...ChainFile[]];
  database: Database;
  memory: ChainMemory;
  /** Without it every request begins a transaction. */
  statements: BatchedStatements | undefined;
  cache: AnswerCache;
  /** Without them no external provider with a key or an address of its own is asked for swap quotes. */
  quotes?: QuoteSettings;
  /** Without it no SQL is answered. */
  sql?: SqlAccess;
  /** Without it requests about pruned blocks are refused. */
  past?: PastLoader;
  /** Of requests that ask several things: see {@link LONGEST_REQUEST_MS}. */
  longestRequestMs: number;
}

export interface OperationContext extends Deadline {
  service: Service;
  /** The chain file as the index that is read has it: {@link Snapshot.chainOf}. */
  chain: ChainFile;
  snapshot: Snapshot;
}

/** With the state that is expected, with the one found then, in a transaction, and in a transaction on another server. */
const ATTEMPTS = 4;
const ATTEMPTS_WITHOUT_TRANSACTION = 2;
/** Most loads of pruned history in one request; each load covers several blocks. */
const MOST_LOADS = 20;
const LONGEST_LOADING_MS = 3_000;

/** For requests that ask several things. What has begun by then is finished; a statement has a limit of its own. */
export const LONGEST_REQUEST_MS = 4_000;
/** For requests about everybody at every block of a range, which are one long piece of work. */
export const LONGEST_RANGE_MS = 30_000;

/** One public question. `run` gets parsed input and returns plain data; amounts are raw units as bigint. */
export interface Operation<Input, Output> {
  name: string;
  /**
   * It reads snapshots of its own and waits for others outside meanwhile: it runs once, and the request's snapshot is neither read
   * nor proven for it.
   */
  hasOwnSnapshots?: true;
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

/** What a request has of one chain. */
interface ChainReads {
  chainId: number;
  snapshot: Snapshot;
  /** Something has been answered by it. */
  hasAnswered: boolean;
  /** Operations run one after the other: they share a snapshot. */
  turn: Promise<unknown>;
}

interface Loading {
  loads: number;
  until: number | undefined;
}

/** One request: a snapshot per chain asked, opened when first read, all ended by `close`. */
export class RequestScope {
  readonly memos = new Map<symbol, unknown>(); // see memoPerObject
  readonly #service: Service;
  readonly #signal: AbortSignal | undefined;
  readonly #chains = new Map<number, ChainReads>();
  readonly #until: number | undefined;
  #isOutdated = false;

  /** When `signal` is aborted, nobody wants the answer any more: running statements are cancelled. After `until` no operation begins. */
  constructor(service: Service, signal?: AbortSignal, until?: number) {
    this.#until = until;
    this.#service = service;
    this.#signal = signal;
    const abandon = () => {
      for (const { snapshot } of this.#chains.values()) snapshot.abandon();
    };
    signal?.addEventListener("abort", abandon, { once: true });
  }

  /** The way to the processes that answer SQL, if there are any. */
  get sql(): SqlAccess | undefined {
    return this.#service.sql;
  }

  /** The index has left a state from which something was answered: the whole request must be answered again. */
  get isOutdated(): boolean {
    return this.#isOutdated;
  }

  /**
   * Runs `operation`; operations of one request on one chain see the same blocks, one after the other.
   * @throws RequestTooLongError when its turn comes too late
   */
  run<Input, Output>(operation: Operation<Input, Output>, input: Input, chainId?: number): Promise<Output> {
    const chain = chainOf(this.#service, chainId);
    const reads = this.#readsOf(chain);
    const labels = { chain: chain.name, operation: operation.name };
    const result = reads.turn.then(() =>
      timeOperation(labels, () => {
        const answer = (snapshot: Snapshot) => operation.run(input, this.#context(chain, snapshot));
        return operation.hasOwnSnapshots ? this.#answerOnce(reads, answer) : this.#answer(reads, answer);
      }),
    );
    reads.turn = result.catch(() => {});
    return result;
  }

  /** The chain as this request's index has it; before its first answer, as the index had it that was read last. */
  chainOf(file: ChainFile): ChainFile {
    return this.#readsOf(file).snapshot.chainOf(file);
  }

  #readsOf({ chainId }: ChainFile): ChainReads {
    const begun = this.#chains.get(chainId);
    if (begun) return begun;
    const { database, memory, cache } = this.#service;
    const snapshot = new Snapshot({ database, memory, cache, chainId });
    if (this.#signal?.aborted) snapshot.abandon();
    const reads = { chainId, snapshot, hasAnswered: false, turn: Promise.resolve() };
    this.#chains.set(chainId, reads);
    return reads;
  }

  #context(file: ChainFile, snapshot: Snapshot): OperationContext {
    return { service: this.#service, chain: snapshot.chainOf(file), snapshot, ...this.#time() };
  }

  #time(): Deadline {
    return this.#until === undefined ? {} : { until: this.#until };
  }

  async #answerOnce<Output>(reads: ChainReads, answer: (snapshot: Snapshot) => Promise<Output>): Promise<Output> {
    requireTime(this.#time());
    return answer(reads.snapshot);
  }

  async #answer<Output>(reads: ChainReads, answer: (snapshot: Snapshot) => Promise<Output>): Promise<Output> {
    requireTime(this.#time());
    const { statements } = this.#service;
    const loading: Loading = { loads: 0, until: undefined };
    for (let attempt = 1; ; attempt++) {
      const { snapshot } = reads;
      try {
        if (statements && attempt <= ATTEMPTS_WITHOUT_TRANSACTION && !reads.hasAnswered)
          await snapshot.expectState(statements);
        const output = await proven(snapshot, () => answer(snapshot));
        reads.hasAnswered = true;
        return output;
      } catch (error) {
        if (await this.#hasLoaded(reads, loading, error)) attempt -= 1;
        else if (attempt === ATTEMPTS || !(await this.#mayAnswerAnew(reads, error))) throw error;
      }
    }
  }

  /**
   * Whether the answer has missed blocks that were pruned, which can be read now.
   * @throws HistoryLoadingError, HistoryUnavailableError, HistoryDamagedError where they cannot
   */
  async #hasLoaded(reads: ChainReads, loading: Loading, error: unknown): Promise<boolean> {
    const range = prunedRangeOf(error);
    if (range === undefined) return false;
    const { past } = this.#service;
    if (past === undefined)
      throw new HistoryUnavailableError(
        range,
        "this process does not load it: ask the gateway about these blocks first",
      );
    loading.until ??= performance.now() + LONGEST_LOADING_MS;
    loading.loads += 1;
    if (loading.loads > MOST_LOADS || performance.now() > loading.until) throw new HistoryLoadingError(range);
    // a transaction would not see what is loaded, and has ended with the error; the state without a transaction stays valid
    const mayGoOn = !reads.snapshot.isOpen || (await this.#mayAnswerAnew(reads, error));
    await past.load(reads.chainId, range);
    if (!mayGoOn) throw error;
    return true;
  }

  async #mayAnswerAnew(reads: ChainReads, error: unknown): Promise<boolean> {
    const next = await reads.snapshot.successor(error);
    if (!next) return false;
    if (this.#signal?.aborted) next.abandon();
    reads.snapshot = next;
    this.#isOutdated = reads.hasAnswered;
    return !this.#isOutdated;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#chains.values()].map((reads) => reads.turn.then(() => reads.snapshot.close())));
  }
}

/** Errors are proven too: what was missing may exist by now. What is wrong with the input itself stays wrong. */
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
