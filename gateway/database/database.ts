// Connections, each lent to one request at a time: for one statement, or for one transaction.
//
// Every lent connection is a postgres.js client of its own with one connection, not a reserved one of a pool: a reserved
// connection that dies is put back among the living by its release, and the next query on it ends the process.
import postgres, { type Sql } from "postgres";
import { undelayed } from "../../database/undelayed.ts";
import { UnavailableError } from "../errors.ts";
import { joinRows, openCursors } from "./cursors.ts";
import { BEFORE_CURSOR, SESSION } from "./session.ts";
import { type Awaited, loseSilent } from "./silent-connections.ts";

/** Connections lent at the same time, for a statement or a transaction; beyond that requests wait. */
const MOST_CONNECTIONS = 12;
const LONGEST_WAIT_MS = 5_000;

/**
 * A connection of one's own until `release()`. Once it is lost every call fails, also taking the next batch: the
 * transaction is gone, and what postgres.js would send next would go nowhere or end the process.
 */
export interface Connection {
  rows<T extends object>(text: string, parameters?: readonly string[]): Promise<T[]>;
  /**
   * The same, parsed and mostly planned once per connection: only for a text that does not change from request to request, as
   * each text is remembered, and whose best plan does not depend on its parameters.
   */
  prepared<T extends object>(text: string, parameters: readonly string[]): Promise<T[]>;
  /** Several statements in one round trip; nothing is returned. */
  run(statements: string): Promise<void>;
  /** The same, and the rows of the last of them, which is the only one with rows. */
  runAndRead<T extends object>(statements: string): Promise<T[]>;
  /** Rows in batches of `size`, at most one of them fetched before it is taken; nothing else is sent before its end or {@link endBatches}. */
  batches<T extends object>(text: string, parameters: readonly string[], size: number): AsyncIterator<T[]>;
  /** The same of rows that are one text each, as they came over the wire: a batch in one piece. */
  pieces(text: string, parameters: readonly string[], shape: PieceShape): AsyncIterator<Uint8Array>;
  /** Ends the batches and pieces that were not read to their end. */
  endBatches(): Promise<void>;
  readonly isLost: boolean;
  /** Which one, where there are several. */
  readonly server?: string;
  /** The connection is to one of several servers: another one may know more. */
  readonly isReplica?: boolean;
  /** Cancels the statement that runs, if one does, and counts the connection as lost. */
  abandon(): void;
  release(): void;
}

export interface PieceShape {
  rows: number;
  /** Written before every row. */
  separator: string;
}

export interface Database {
  /** One statement outside a transaction. */
  rows<T extends object>(text: string): Promise<T[]>;
  /**
   * Of several servers none of `refused`, and none that is older than what was shown.
   * @throws UnavailableError (`OVERLOADED`) after 5 s without a free connection; NoServerError
   */
  connect(refused?: ReadonlySet<string>): Promise<Connection>;
  /** Some servers may be behind others. */
  readonly hasReplicas?: boolean;
  /** An answer is being made from a snapshot with nothing beyond this position of the write-ahead log. */
  noteShown?(position: bigint): void;
  /** A server was lost while it was read. */
  lost?(server: string): void;
  close(): Promise<void>;
}

class ConnectionLostError extends Error {
  override name = "ConnectionLostError";
  readonly code = "CONNECTION_CLOSED";
}

interface Slot extends Awaited {
  sql: Sql;
  /** Counts the connections that were lost. */
  losses: number;
}

function openSlot(url: string): Slot {
  const slot: Slot = {
    losses: 0,
    running: 0,
    silentSeconds: 0,
    cancel: undefined,
    sql: postgres(url, {
      ...undelayed(),
      max: 1,
      connect_timeout: 5,
      onnotice: () => {},
      fetch_types: false,
      // Its timers do not know of our transactions and would end one between two statements.
      idle_timeout: 0,
      max_lifetime: null,
      connection: { application_name: "tidemark-gateway", ...SESSION },
      onclose: () => {
        slot.losses += 1;
      },
    }),
  };
  return slot;
}

/** A statement that failed leaves the connection usable; anything else that is thrown means that it is gone. */
export const isStatementError = (error: unknown): boolean =>
  error instanceof postgres.PostgresError && !["FATAL", "PANIC"].includes(error.severity);

/** A query that was sent shows which backend runs it. */
const backendOf = (query: unknown): number | undefined =>
  (query as { state?: { pid?: number } | null } | undefined)?.state?.pid;

/** Without `simple: false` postgres.js would send a text without parameters as it is, to be planned every time. */
const PREPARED = { prepare: true, simple: false };

const MS_BETWEEN_CANCELS = 200;

interface Ways {
  giveBack(isLost: boolean): void;
  /** Asks the server to stop what this backend does. */
  cancel(backend: number): void;
}

function lend(slot: Slot, { giveBack, cancel }: Ways): Connection {
  slot.cancel = undefined;
  const lossesBefore = slot.losses;
  let hasFailed = false;
  let isReleased = false;
  let newest: unknown;
  const sent = <Query>(query: Query): Query => {
    newest = query;
    return query;
  };
  const isLost = () => hasFailed || slot.losses !== lossesBefore;
  const watch = async <T>(use: (sql: Sql) => PromiseLike<T>): Promise<T> => {
    if (isReleased || isLost()) throw new ConnectionLostError("the connection was lost");
    slot.running += 1;
    try {
      const result = await use(slot.sql);
      if (isLost()) throw new ConnectionLostError("the connection was lost");
      return result;
    } catch (error) {
      hasFailed ||= !isStatementError(error);
      throw error;
    } finally {
      slot.running -= 1;
      slot.silentSeconds = 0;
    }
  };
  const cursors = openCursors(watch, {
    isLost,
    begins() {
      slot.cancel = cancelNewest;
      // what fails this fails the cursor, too
      slot.sql.unsafe(BEFORE_CURSOR).catch(() => {});
    },
  });
  const cancelNewest = () => {
    const backend = backendOf(newest);
    if (backend !== undefined) cancel(backend);
  };
  /** The server may be asked before the statement has reached it: then the request has no effect, and is repeated. */
  const cancelUntilEnded = () => {
    if (slot.running === 0) return;
    cancelNewest();
    setTimeout(cancelUntilEnded, MS_BETWEEN_CANCELS).unref();
  };
  const read = <T extends object>(text: string, parameters: readonly string[], options: { prepare: boolean }) =>
    watch(async (sql) => [...(await sent(sql.unsafe<T[]>(text, [...parameters], options)))]);
  return {
    rows: (text, parameters = []) => read(text, parameters, { prepare: false }),
    prepared: (text, parameters) => read(text, parameters, PREPARED),
    run: (statements) =>
      watch(async (sql) => {
        await sent(sql.unsafe(statements)).simple();
      }),
    runAndRead: <T extends object>(statements: string) =>
      watch(async (sql) => {
        const results: unknown = await sent(sql.unsafe(statements)).simple();
        // postgres.js begins another result with every statement that has rows
        const [last] = (results as T[][]).slice(-1);
        return [...(last ?? [])];
      }),
    batches<T extends object>(text: string, parameters: readonly string[], size: number): AsyncIterator<T[]> {
      return cursors.follow(sent(slot.sql.unsafe<T[]>(text, [...parameters])).cursor(size), (rows) => rows as T[]);
    },
    pieces(text, parameters, { rows, separator }) {
      const before = Buffer.from(separator);
      const cursor = sent(slot.sql.unsafe(text, [...parameters]))
        .raw()
        .cursor(rows);
      return cursors.follow(cursor, (batch) => joinRows(batch as [Buffer][], before));
    },
    endBatches: () => cursors.end(),
    get isLost() {
      return isLost();
    },
    abandon() {
      if (isReleased || isLost()) return;
      hasFailed = true;
      cancelUntilEnded();
    },
    release() {
      if (isReleased) return;
      isReleased = true;
      giveBack(isLost());
    },
  };
}

/** Opened by the first client that leaves; a cancelled statement keeps its own connection busy until it has ended. */
const openControl = (url: string): Sql =>
  postgres(url, {
    connect_timeout: 5,
    onnotice: () => {},
    fetch_types: false,
    max: 1,
    idle_timeout: 10,
    connection: { application_name: "tidemark-gateway-control" },
  });

export function openDatabase(url: string): Database {
  const slots = new Set<Slot>();
  const free: Slot[] = [];
  const waiting: ((slot: Slot) => void)[] = [];
  let control = openControl(url);

  const add = (): Slot => {
    const slot = openSlot(url);
    slots.add(slot);
    return slot;
  };

  /** A slot that lost its connection is not used again: postgres.js may still be about to notice. */
  const giveBack = (slot: Slot, isLost: boolean) => {
    if (isLost) {
      slots.delete(slot);
      slot.sql.end({ timeout: 1 }).catch(() => {});
    }
    const next = waiting.shift();
    if (next) next(isLost ? add() : slot);
    else if (!isLost) free.push(slot);
  };

  /** What is idle is to the same server, and would be waited for as long. */
  const lose = (silent: Slot) => {
    for (const slot of [silent, ...free.splice(0)]) {
      slot.losses += 1;
      slots.delete(slot);
      slot.sql.end({ timeout: 0 }).catch(() => {});
    }
    control.end({ timeout: 0 }).catch(() => {});
    control = openControl(url);
  };
  const stopWatching = loseSilent(slots, lose);

  const take = (): Slot | undefined => free.pop() ?? (slots.size < MOST_CONNECTIONS ? add() : undefined);

  const queue = () =>
    new Promise<Slot>((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(served), 1);
        reject(new UnavailableError("OVERLOADED", "Too many answers are being written. Retry in a few seconds."));
      }, LONGEST_WAIT_MS);
      const served = (slot: Slot) => {
        clearTimeout(timer);
        resolve(slot);
      };
      waiting.push(served);
    });

  const connect = async (): Promise<Connection> => {
    const slot = take() ?? (await queue());
    return lend(slot, {
      giveBack: (isLost) => giveBack(slot, isLost),
      cancel: (backend) => {
        control.unsafe("select pg_cancel_backend($1)", [backend]).catch(() => {});
      },
    });
  };

  return {
    connect,
    async rows<T extends object>(text: string) {
      const connection = await connect();
      try {
        return await connection.rows<T>(text);
      } finally {
        connection.release();
      }
    },
    async close() {
      stopWatching();
      await Promise.all([...[...slots].map(({ sql }) => sql), control].map((sql) => sql.end({ timeout: 5 })));
    },
  };
}
