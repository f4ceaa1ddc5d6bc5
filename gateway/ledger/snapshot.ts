// One REPEATABLE READ transaction per request and chain: everything that is read of one request is of one state of the
// index. Facts are read inside a savepoint: rolling back to it lets go of Ponder's tables, which its own DDL waits for,
// while the snapshot, which belongs to the transaction, stays.
import { quoted } from "../../fold/tables.ts";
import type { AnswerCache, ReaderCache } from "../cache/answer-cache.ts";
import { isDatabaseDown, isLockLost, isMissingTable, isReplicaConflict, UnavailableError } from "../errors.ts";
import { connectionSeconds, noteSnapshot } from "../metrics/instruments.ts";
import type { Connection, Database, PieceShape } from "./database.ts";
import { FactReaders } from "./fact-readers.ts";
import { SIGHTING_SQL, type SightingRow, toSighting } from "./freshness.ts";
import { type LiveSchemaCache, type LiveSchemas, LiveSchemasMovedError } from "./live-schemas.ts";
import type { ReadScope } from "./read-scope.ts";
import { ReplicaBehindError } from "./replica-behind.ts";
import { BEGIN, LET_GO, lockFactsStatements } from "./snapshot-locks.ts";
import type { QuotedSchemas } from "./state.ts";
import { type LedgerState, type StateRow, stateOf, stateText } from "./state.ts";

const ATTEMPTS = 3;

export class Snapshot {
  readonly carried = new Map<symbol, unknown>(); // see carriedBy
  readonly cache: ReaderCache;
  readonly #database: Database;
  readonly #live: LiveSchemaCache;
  readonly #chainId: number;
  #connection: Connection | undefined;
  #schemas: QuotedSchemas | undefined;
  #state: LedgerState | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #closed = false;
  readonly #factReaders = new FactReaders();
  #opening: Promise<void> | undefined;
  #isAbandoned = false;
  /** Servers that have shown that they are not the ones to answer this request. */
  readonly #refused = new Set<string>();
  #forget: () => void = () => {};

  constructor(parts: { database: Database; live: LiveSchemaCache; cache: AnswerCache; chainId: number }) {
    this.cache = parts.cache.for(this);
    this.#database = parts.database;
    this.#live = parts.live;
    this.#chainId = parts.chainId;
  }

  /** Runs operations of one request one after the other: they share a transaction. */
  exclusive<T>(use: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(use);
    this.#turn = result.catch(() => {});
    return result;
  }

  /**
   * Reads facts: short, because a reorganisation of Ponder's waits for it. Tried again when it lost against Ponder's DDL.
   * @throws UnavailableError while there is no index that can be read
   */
  async withFacts<T>(read: (facts: ReadScope) => Promise<T>): Promise<T> {
    return this.read(async (scope) => {
      const { connection } = this.#opened();
      const take = () => connection.run(lockFactsStatements());
      const letGo = async () => {
        if (!connection.isLost) await connection.run(LET_GO);
      };
      for (let attempt = 1; ; attempt++) {
        try {
          return await this.#factReaders.run({ take, letGo }, () => read(scope));
        } catch (error) {
          if (attempt >= ATTEMPTS || !isLockLost(error)) throw error;
        }
      }
    });
  }

  get isOpen(): boolean {
    return this.#connection !== undefined;
  }

  /** What the request's snapshot knows of itself. */
  get state(): LedgerState {
    return this.#opened().state;
  }

  /**
   * Gives up this server for another one, if there are several and `error` is about this one. Everything read so far is to
   * be read again.
   */
  async moveOn(error: unknown): Promise<boolean> {
    const isServers = isDatabaseDown(error) || isReplicaConflict(error) || error instanceof ReplicaBehindError;
    if (!isServers || this.#isAbandoned || this.#connection?.server === undefined) return false;
    await this.#leaveFor(error);
    return true;
  }

  /** `error` tells that this server cannot answer this request. */
  async #leaveFor(error: unknown): Promise<void> {
    const server = this.#connection?.server;
    if (server !== undefined) this.#refused.add(server);
    if (server !== undefined && isDatabaseDown(error)) this.#database.lost?.(server);
    await this.#leave();
  }

  get schemas(): QuotedSchemas {
    return this.#opened().schemas;
  }

  /** Tells this index from every other, those of the same name made anew included. */
  get index(): string {
    const { schemas, state } = this.#opened();
    return `${this.#chainId} ${schemas.fold} ${state.factOid}`;
  }

  /** Whether what this server does not have may be on another one. */
  get isReplica(): boolean {
    return this.#connection?.isReplica ?? false;
  }

  /** Begins the transaction, unless it has begun. @throws UnavailableError while there is no index that can be read */
  async open(): Promise<void> {
    this.#requireWanted();
    if (this.isOpen && !this.#opening) return;
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined;
    });
    await this.#opening;
  }

  /** {@link open}, and what `read` gives; what it misses on a replica it reads again on a server that knows more. */
  async read<T>(read: (scope: ReadScope) => Promise<T>): Promise<T> {
    for (;;) {
      const wasOpen = this.isOpen;
      await this.open();
      try {
        return await read(this.#scope());
      } catch (error) {
        if (wasOpen || !(error instanceof ReplicaBehindError)) throw error;
        await this.#leaveFor(error);
      }
    }
  }

  #scope(): ReadScope {
    const { connection, schemas, state } = this.#opened();
    return {
      ...{ state, schemas, index: this.index, cache: this.cache, isReplica: this.isReplica },
      rows: (text, parameters) => connection.rows(text, parameters),
      prepared: (text, parameters) => connection.prepared(text, parameters),
      runAndRead: (statements) => connection.runAndRead(statements),
    };
  }

  /** Reads the fold's tables on the same snapshot. */
  async rows<T extends object>(text: string, parameters: string[] = []): Promise<T[]> {
    await this.open();
    return this.#opened().connection.rows(text, parameters);
  }

  /** The same of a text that does not change from request to request. */
  async prepared<T extends object>(text: string, parameters: string[]): Promise<T[]> {
    await this.open();
    return this.#opened().connection.prepared(text, parameters);
  }

  /** Rows in batches, fetched only as fast as they are taken. */
  batches<T extends object>(text: string, parameters: string[], size: number): AsyncIterator<T[]> {
    return this.#opened().connection.batches(text, parameters, size);
  }

  /** Rows of one text each as bytes, fetched only as fast as they are taken. */
  pieces(text: string, parameters: string[], shape: PieceShape): AsyncIterator<Uint8Array> {
    return this.#opened().connection.pieces(text, parameters, shape);
  }

  /** Ends the transaction; every path must come here. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#leave();
  }

  /** Cancels what runs and lets nothing else begin; `close` is still to be called. */
  abandon(): void {
    this.#isAbandoned = true;
    this.#connection?.abandon();
  }

  #requireWanted(): void {
    if (this.#closed) throw new Error("the snapshot is closed");
    if (this.#isAbandoned) throw new UnavailableError("TIMEOUT", "The client has gone.");
  }

  #opened() {
    if (!this.#connection || !this.#schemas || !this.#state) throw new Error("the snapshot is not open");
    return { connection: this.#connection, schemas: this.#schemas, state: this.#state };
  }

  async #open(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      this.#requireWanted();
      try {
        return await this.#begin(await this.#live.of(this.#chainId));
      } catch (error) {
        if (await this.moveOn(error)) continue;
        await this.#leave();
        const mayPass = this.#forgetStale(error) || isLockLost(error) || isDatabaseDown(error);
        if (attempt >= ATTEMPTS || !mayPass) throw error;
      }
    }
  }

  /** Whether the schemas that were to be read are no longer the ones. */
  #forgetStale(error: unknown): boolean {
    const hasMoved = error instanceof LiveSchemasMovedError;
    if (!hasMoved && !isMissingTable(error)) return false;
    this.#live.forget(this.#chainId);
    if (hasMoved && error.to) this.#live.learn(this.#chainId, error.to);
    return true;
  }

  /** No SELECT may come before the locks: the first one takes the snapshot. */
  async #begin(live: LiveSchemas): Promise<void> {
    const fold = quoted(live.fold);
    const schemas = { fold };
    const gotConnection = connectionSeconds.startTimer();
    const connection = await this.#database.connect(this.#refused);
    gotConnection();
    this.#connection = connection;
    this.#forget = noteSnapshot();
    this.#requireWanted(); // it may have been waited for longer than the client did
    const place = { schemas, chainId: this.#chainId };
    // sent together, in one round trip; the first statement that reads takes the snapshot
    const [, [row]] = await Promise.all([connection.run(BEGIN), connection.prepared<StateRow>(stateText(place), [])]);
    const state = stateOf(row);
    if (state.live?.ponder !== live.ponder || state.live.fold !== live.fold)
      throw new LiveSchemasMovedError(state.live);
    await this.#noteShown(connection, state);
    this.#schemas = schemas;
    this.#state = { ...state, highestHead: this.#live.highestHead(this.#chainId, state.highestHead) };
  }

  /**
   * Nothing that is answered later may be older.
   * @throws ReplicaBehindError when this would be a step back itself
   */
  async #noteShown({ server, isReplica = false, rows }: Connection, { liveSince }: LedgerState): Promise<void> {
    if (server === undefined) return;
    if (!this.#live.follows(this.#chainId, { since: liveSince, isReplica })) throw new ReplicaBehindError();
    const [row] = await rows<SightingRow>(SIGHTING_SQL);
    if (row) this.#database.showed?.(toSighting(row).position);
  }

  async #leave(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    if (!connection) return;
    this.#forget();
    try {
      if (!connection.isLost) await connection.run("rollback");
    } catch {
      // The connection is gone, and the transaction with it.
    } finally {
      connection.release();
    }
  }
}
