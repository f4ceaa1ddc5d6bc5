// Everything that is read for one request and chain is of one state of the index. Mostly that is a state that another request
// has read already, and every statement proves that its rows are of it. Answers that are written as they are read, and requests
// that found the index moved, have a REPEATABLE READ transaction; there facts are read inside a savepoint: rolling back to it
// lets go of Ponder's tables, which its own DDL waits for, while the snapshot, which belongs to the transaction, stays.
import type { ChainFile } from "../../chains/chain-file.ts";
import type { AnswerCache, ReaderCache } from "../cache/answer-cache.ts";
import { isAborted } from "../errors.ts";
import { prunedRangeOf } from "../lake/lake-errors.ts";
import { type BatchedStatements, limited, type SingleStatement } from "./batched-statements.ts";
import type { PieceShape } from "./database.ts";
import { FactReaders, untilUnlocked } from "./fact-readers.ts";
import { IndexedChain } from "./indexed-chain.ts";
import { IndexMovedError, requireProven } from "./proven-statement.ts";
import type { ReadScope } from "./read-scope.ts";
import type { ReadFrom, View } from "./read-state.ts";
import { BEGIN_FACTS, FACT_LIMITS, LET_GO } from "./session.ts";
import { ReplicaBehindError } from "./shown-position.ts";
import type { IndexState } from "./state.ts";
import { mayPassElsewhere, Transaction } from "./transaction.ts";

/** Read by another request. Proven: a statement of this one has found it to be the newest. */
type Expected = View & { statements: BatchedStatements; isProven: boolean };

interface SnapshotParts extends ReadFrom {
  cache: AnswerCache;
  /** Servers that cannot answer this request. */
  refused?: ReadonlySet<string>;
  /** One that has begun. */
  transaction?: Transaction;
  /** Unless false, a state that is known already may be used. */
  mayExpectState?: boolean;
}

export class Snapshot {
  readonly memos = new Map<symbol, unknown>(); // see memoPerObject
  readonly cache: ReaderCache;
  readonly #parts: SnapshotParts;
  readonly #transaction: Transaction;
  readonly #factReaders = new FactReaders();
  readonly #chain: IndexedChain;
  /** The state that the transaction has found, or that is read without one. */
  #view: View | undefined;
  /** Until there is a transaction: the state that another request found last. */
  #expected: Expected | undefined;
  #opening: Promise<void> | undefined;
  /** The request is answered by another one. */
  #isLeft = false;

  constructor(parts: SnapshotParts) {
    const { cache, refused, transaction = new Transaction(parts, refused) } = parts;
    this.cache = cache.for(this);
    this.#parts = parts;
    this.#transaction = transaction;
    this.#view = transaction.view;
    this.#chain = new IndexedChain(parts.memory);
  }

  /** There is a transaction. */
  get isOpen(): boolean {
    return this.#transaction.view !== undefined;
  }

  /** Whether something can be read: there is a transaction, or an expected state. */
  get hasState(): boolean {
    return this.#view !== undefined;
  }

  /** What the request's snapshot knows of itself. */
  get state(): IndexState {
    return this.#requireView().state;
  }

  get fold(): string {
    return this.#requireView().fold;
  }

  /** `file` with the blocks, tokens and contracts that this index has, which may have been made of an older chain file. */
  chainOf(file: ChainFile): ChainFile {
    return this.#chain.of(file, this.#view?.state);
  }

  /** Identifies this index: others of the same name, made anew or of a corrected chain file, have another value. */
  get index(): string {
    return `${this.#parts.chainId} ${this.fold} ${this.state.factOid} ${this.state.sourcesDigest}`;
  }

  /** Whether rows that this server lacks may be on another one. */
  get isReplica(): boolean {
    return this.#transaction.isReplica;
  }

  /**
   * Expects the index to be as another request has found it, so that no statement needs a transaction. The caller must
   * call {@link prove} before anything is answered, and begin again after an IndexMovedError of any call. What the state
   * says about the chain beyond our head may be out of date: code that needs that opens the transaction.
   */
  async expectState(statements: BatchedStatements): Promise<void> {
    if (this.#parts.mayExpectState === false || this.hasState || this.#opening) return;
    const view = await statements.newest(this.#parts.chainId);
    if (view === undefined || this.hasState || this.#opening) return;
    this.#expected = { ...view, statements, isProven: false };
    this.#view = this.#expected;
  }

  /** @throws IndexMovedError when what was expected does not hold; what a statement throws */
  async prove(): Promise<void> {
    if (this.#expected?.isProven === false)
      await this.#readWithoutTransaction(this.#expected, { text: "select", parameters: [], way: "prepared" });
  }

  /**
   * The snapshot that answers the request again after `error`: of the index as it is now, or from another server. This one cannot
   * be read any more, and what was made of its rows must be dropped. Undefined when another snapshot would fail, too.
   */
  async successor(error: unknown): Promise<Snapshot | undefined> {
    const hasMoved = error instanceof IndexMovedError;
    // a statement without a transaction may have failed for many reasons; a transaction knows what to do
    const isPruned = prunedRangeOf(error) !== undefined;
    const mayHelp =
      hasMoved || isPruned || (this.#expected ? mayPassElsewhere(error) : await this.#transaction.leaveFor(error));
    if (!mayHelp) return undefined;
    this.#isLeft = true;
    const { database, memory, chainId, cache } = this.#parts;
    const parts = { database, memory, chainId, cache };
    // it shows one state by itself, whatever was expected before it began
    if (hasMoved && this.isOpen) return new Snapshot({ ...parts, transaction: this.#transaction });
    const { refused } = this.#transaction.servers;
    await this.close();
    return new Snapshot({ ...parts, refused, mayExpectState: hasMoved });
  }

  /**
   * Begins the transaction, unless it has begun.
   * @throws UnavailableError while there is no index that can be read; IndexMovedError when what was expected does not hold
   */
  async open(): Promise<void> {
    this.#requireWanted();
    if (this.isOpen && !this.#opening) return;
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined;
    });
    await this.#opening;
  }

  /** What `read` gives; where a replica lacks something, `read` runs again on a server that knows more. */
  async read<T>(read: (scope: ReadScope) => Promise<T>): Promise<T> {
    for (;;) {
      const isFirst = !this.hasState;
      if (isFirst) await this.open();
      try {
        return await read(this.#scope());
      } catch (error) {
        const isBehind = isFirst && error instanceof ReplicaBehindError;
        if (!isBehind || !(await this.#transaction.leaveFor(error))) throw error;
        this.#view = undefined;
      }
    }
  }

  /**
   * Reads facts; must be short, because reorganisations in Ponder wait for it. Tried again when Ponder's DDL held the lock.
   * @throws what {@link open} throws
   */
  withFacts<T>(read: (facts: ReadScope) => Promise<T>): Promise<T> {
    return this.#expected ? this.#withFactsWithoutTransaction(this.#expected, read) : this.#withFactsLocked(read);
  }

  async #withFactsWithoutTransaction<T>(expected: Expected, read: (facts: ReadScope) => Promise<T>): Promise<T> {
    const send = <Row extends object>(statement: SingleStatement) =>
      untilUnlocked(() => this.#readWithoutTransaction<Row>(expected, statement));
    return read({
      ...this.#scope(),
      rows: (text, parameters = []) =>
        send(parameters.length > 0 ? { text, parameters, way: "unnamed" } : limited(text, FACT_LIMITS)),
      prepared: (text, parameters) => send({ text, parameters, way: "prepared" }),
      readLimited: (text, limits) => send(limited(text, limits)),
    });
  }

  async #withFactsLocked<T>(read: (facts: ReadScope) => Promise<T>): Promise<T> {
    await this.open();
    return this.read(async (scope) => {
      const { connection } = this.#transaction;
      const take = () => connection.run(BEGIN_FACTS);
      const letGo = async () => (connection.isLost ? undefined : connection.run(LET_GO));
      const facts = { ...scope, rows: this.#fromTransaction("unnamed"), prepared: this.#fromTransaction("prepared") };
      return untilUnlocked(() => this.#factReaders.run({ take, letGo }, () => read(facts)));
    });
  }

  #scope(): ReadScope {
    const { fold, state } = this.#requireView();
    return {
      state,
      fold,
      index: this.index,
      cache: this.cache,
      isReplica: this.isReplica,
      rows: (text, parameters) => this.rows(text, parameters),
      prepared: (text, parameters) => this.prepared(text, parameters),
      readLimited: (text, limits) => this.#transaction.connection.runAndRead(`${limits}; ${text}`),
    };
  }

  /** Reads the fold's tables on the same snapshot. */
  rows<T extends object>(text: string, parameters: string[] = []): Promise<T[]> {
    return this.#read({ text, parameters, way: "unnamed" });
  }

  /** The same of a text that does not change from request to request. */
  prepared<T extends object>(text: string, parameters: string[]): Promise<T[]> {
    return this.#read({ text, parameters, way: "prepared" });
  }

  /** The same, never sent with what other requests ask: for rows of which there may be many. */
  unbatched<T extends object>(text: string, parameters: string[]): Promise<T[]> {
    return this.#read({ text, parameters, way: "unbatched" });
  }

  async #read<T extends object>(statement: SingleStatement): Promise<T[]> {
    if (this.#expected) return this.#readWithoutTransaction(this.#expected, statement);
    await this.open();
    const { text, parameters, way } = statement;
    const send = () => this.#fromTransaction(way)<T>(text, parameters);
    try {
      return await send();
    } catch (error) {
      if (!isAborted(error)) throw error;
      await this.#factReaders.ended;
      return send();
    }
  }

  #fromTransaction(way: SingleStatement["way"]) {
    return <T extends object>(text: string, parameters: readonly string[] = []): Promise<T[]> => {
      const { connection } = this.#transaction;
      return way === "unnamed" ? connection.rows<T>(text, parameters) : connection.prepared<T>(text, parameters);
    };
  }

  async #readWithoutTransaction<T extends object>(expected: Expected, statement: SingleStatement): Promise<T[]> {
    this.#requireWanted();
    const { statements, isProven, fold, state } = expected;
    const { chainId } = this.#parts;
    try {
      const expectation = { chainId, fold, state, isNewest: !isProven, servers: this.#transaction.servers };
      const rows = await statements.read<T>(expectation, statement);
      expected.isProven = true;
      return rows;
    } catch (error) {
      if (error instanceof IndexMovedError) this.#parts.memory.dropState(chainId, state);
      throw error;
    }
  }

  /** Rows in batches, at most one of them fetched before it is taken. {@link open} comes first. */
  batches<T extends object>(text: string, parameters: string[], size: number): AsyncIterator<T[]> {
    return this.#transaction.connection.batches(text, parameters, size);
  }

  /** Rows of one text each as bytes, one batch of them fetched before it is taken. {@link open} comes first. */
  pieces(text: string, parameters: string[], shape: PieceShape): AsyncIterator<Uint8Array> {
    return this.#transaction.connection.pieces(text, parameters, shape);
  }

  /** Ends the transaction; every path must come here. */
  async close(): Promise<void> {
    this.#transaction.servers.close();
    await this.#transaction.end();
  }

  /** Cancels what runs and lets nothing else begin; `close` is still to be called. */
  abandon(): void {
    this.#transaction.servers.abandon();
  }

  #requireWanted(): void {
    if (this.#isLeft) throw new Error("the request is answered by another snapshot");
    this.#transaction.servers.requireWanted();
  }

  #requireView(): View {
    if (!this.#view) throw new Error("the snapshot is not open");
    return this.#view;
  }

  async #open(): Promise<void> {
    const view = await this.#transaction.begin();
    this.#chain.require(view.state);
    const before = this.#expected;
    this.#expected = undefined;
    this.#view = view;
    if (before === undefined) return;
    if (before.state.head === view.state.head && before.state.proof === view.state.proof) return;
    // later blocks do not change what was read before them: the request goes on as of the state with which it began
    if (!before.isProven || before.state.head === view.state.head) throw new IndexMovedError();
    await requireProven(this.#transaction.connection, view.fold, before.state);
    this.#view = { fold: view.fold, state: before.state };
  }
}
