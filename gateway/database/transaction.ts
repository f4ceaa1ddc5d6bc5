// The REPEATABLE READ transaction of a request: begun on a server that can answer it, in the index that gateways read.
import { isLockLost, isMissingTable } from "../../database/error-codes.ts";
import type { LiveSchemas } from "../../fold/tables.ts";
import { isDatabaseDown, isReplicaConflict } from "../errors.ts";
import { LiveSchemasMovedError } from "./chain-memory.ts";
import type { Connection } from "./database.ts";
import { type ReadFrom, readState, type View } from "./read-state.ts";
import { RequestServers } from "./request-servers.ts";
import { BEGIN } from "./session.ts";
import { ReplicaBehindError } from "./shown-position.ts";

const ATTEMPTS = 3;

/** Whether the same attempt may succeed a moment later. */
const mayPass = (error: unknown): boolean => isLockLost(error) || isDatabaseDown(error);

/** Whether another server, or the same one a moment later, may answer. */
export const mayPassElsewhere = (error: unknown): boolean =>
  mayPass(error) || isMissingTable(error) || isReplicaConflict(error) || error instanceof ReplicaBehindError;

export class Transaction {
  readonly servers: RequestServers;
  readonly #from: ReadFrom;
  #connection: Connection | undefined;
  #view: View | undefined;

  /** `refused`: servers that it does not begin on. */
  constructor(from: ReadFrom, refused?: ReadonlySet<string>) {
    this.servers = new RequestServers(from.database, refused);
    this.#from = from;
  }

  get view(): View | undefined {
    return this.#view;
  }

  get isReplica(): boolean {
    return this.#connection ? this.#connection.isReplica === true : this.servers.hasReplicas;
  }

  /** @throws Error unless it has begun */
  get connection(): Connection {
    if (!this.#connection || !this.#view) throw new Error("the snapshot is not open");
    return this.#connection;
  }

  /** @throws UnavailableError while there is no index that can be read */
  async begin(): Promise<View> {
    const { memory, chainId } = this.#from;
    for (let attempt = 1; ; attempt++) {
      this.servers.requireWanted();
      try {
        this.#view = await this.#begin(await memory.schemas(chainId));
        return this.#view;
      } catch (error) {
        if (await this.leaveFor(error)) continue;
        await this.end();
        if (attempt >= ATTEMPTS || !(this.#forgetStale(error) || mayPass(error))) throw error;
      }
    }
  }

  /** Ends it if `error` is about its server; whether another one may do better. */
  async leaveFor(error: unknown): Promise<boolean> {
    if (this.#connection === undefined || !this.servers.refuse(this.#connection, error)) return false;
    await this.end();
    return true;
  }

  async end(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    this.#view = undefined;
    if (!connection) return;
    try {
      // a statement sent while a cursor is open would wait for ever
      await connection.endBatches();
      if (!connection.isLost) await connection.run("rollback");
    } catch {
      // The connection is gone, and the transaction with it.
    } finally {
      this.servers.giveBack(connection);
    }
  }

  async #begin(schemas: LiveSchemas): Promise<View> {
    const connection = await this.servers.take();
    this.#connection = connection;
    // sent together, in one round trip; the first statement that reads takes the snapshot
    const [, view] = await Promise.all([connection.run(BEGIN), readState(this.#from, connection, schemas)]);
    return view;
  }

  /** Whether gateways are no longer pointed at the schemas that were to be read. */
  #forgetStale(error: unknown): boolean {
    const { memory, chainId } = this.#from;
    const hasMoved = error instanceof LiveSchemasMovedError;
    if (!hasMoved && !isMissingTable(error)) return false;
    memory.forget(chainId);
    if (hasMoved && error.to) memory.replace(chainId, error.to);
    return true;
  }
}
