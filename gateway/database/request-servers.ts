// The connections of one request, to servers that can answer it.
import { isDatabaseDown, isReplicaConflict, UnavailableError } from "../errors.ts";
import { connectionSeconds, connectionsInUse } from "../instruments.ts";
import type { Connection, Database } from "./database.ts";
import { ReplicaBehindError } from "./shown-position.ts";

export class RequestServers {
  readonly #database: Database;
  /** Servers that have turned out unable to answer this request. */
  readonly #refused: Set<string>;
  readonly #lent = new Map<Connection, () => void>();
  readonly #watched = new Set<Connection>();
  #isClosed = false;
  #isAbandoned = false;

  constructor(database: Database, refused: ReadonlySet<string> = new Set()) {
    this.#database = database;
    this.#refused = new Set(refused);
  }

  get refused(): ReadonlySet<string> {
    return this.#refused;
  }

  /** The client has left: its connections count as lost, and say nothing about their servers. */
  get isAbandoned(): boolean {
    return this.#isAbandoned;
  }

  /** A read may end up on a replica. */
  get hasReplicas(): boolean {
    return this.#database.hasReplicas === true;
  }

  /** @throws UnavailableError when nobody waits for the answer any more; what `Database.connect` throws */
  async take(): Promise<Connection> {
    this.requireWanted();
    const gotConnection = connectionSeconds.startTimer();
    const connection = await this.#database.connect(this.#refused);
    gotConnection();
    this.#lent.set(connection, connectionsInUse.begin());
    if (!this.#isAbandoned) return connection;
    this.giveBack(connection); // the client has left while it was waited for
    throw new ClientGoneError();
  }

  giveBack(connection: Connection): void {
    this.#lent.get(connection)?.();
    if (this.#lent.delete(connection)) connection.release();
  }

  /** Has {@link abandon} cancel what runs on `connection`, until the function that it gives is called. */
  watch(connection: Connection): () => void {
    if (this.#isAbandoned) connection.abandon();
    this.#watched.add(connection);
    return () => this.#watched.delete(connection);
  }

  requireWanted(): void {
    if (this.#isClosed) throw new Error("the snapshot is closed");
    if (this.#isAbandoned) throw new ClientGoneError();
  }

  /** Whether `error` comes from the server of `connection`, so that another server may answer; this one is not used again then. */
  refuse({ server }: Connection, error: unknown): boolean {
    const isServers = isDatabaseDown(error) || isReplicaConflict(error) || error instanceof ReplicaBehindError;
    if (!isServers || this.#isAbandoned || server === undefined) return false;
    this.#refused.add(server);
    if (isDatabaseDown(error)) this.#database.lost?.(server);
    return true;
  }

  /** Cancels what runs and lets nothing else begin. */
  abandon(): void {
    this.#isAbandoned = true;
    for (const connection of [...this.#lent.keys(), ...this.#watched]) connection.abandon();
  }

  close(): void {
    this.#isClosed = true;
  }
}

class ClientGoneError extends UnavailableError {
  override name = "ClientGoneError";

  constructor() {
    super("TIMEOUT", "The client has gone.");
  }
}
