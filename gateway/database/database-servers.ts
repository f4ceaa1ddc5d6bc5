// Several PostgreSQL servers as one database: a primary and its streaming replicas. Replicas are read first, each only
// while it is fresh enough (freshness.ts); the primary answers whatever they cannot. The servers, not the settings, say
// which one is the primary: a promoted replica is it from the next poll on.
import postgres, { type Sql } from "postgres";
import { isUnreached } from "../../database/error-codes.ts";
import { isDatabaseDown, UnavailableError } from "../errors.ts";
import { type Connection, type Database, openDatabase } from "./database.ts";
import { Freshness, SERVER_REPORT_SQL, type ServerReport, type ServerReportRow, toServerReport } from "./freshness.ts";

/** Between two polls of all servers; one that does not answer is left alone until a poll succeeds. */
const POLL_EVERY_MS = 1_000;
const LONGEST_POLL_MS = 3_000;

/** The outcome for a server that a request tried to read. */
export type Outcome = "read" | "behind" | "superseded" | "down";

interface ServerEvents {
  onOutcome?: (server: string, outcome: Outcome) => void;
  /** A server was lost, came back, or changed its role. */
  onChange?: (server: string, now: "down" | "replica" | "primary") => void;
}

/** One server. */
export interface Member {
  /** Host and port, for people. */
  name: string;
  database: Database;
  /** Polls the server beside all reads. @throws whatever, when there is no answer in time */
  poll(): Promise<ServerReport>;
  close(): Promise<void>;
}

interface Server extends Member {
  role: "unknown" | "down" | "replica" | "primary";
  /** At the last poll it was too old, or a primary from before a promotion. */
  isBehind: boolean;
  lent: number;
  lastLent: number;
}

/** A URL without a host is that of a server on this machine. */
export const serverNameOf = (url: string): string => new URL(url).host || "localhost";

/**
 * One database of all servers that `urls` name, the primary among them; the same server named twice counts once.
 * A single one is taken as it is, and not polled.
 */
export function openDatabases(urls: readonly string[], events: ServerEvents = {}): Database {
  const distinct = [...new Map(urls.map((url) => [serverNameOf(url), url])).values()];
  const [only] = distinct;
  if (only === undefined) throw new Error("a database needs at least one server");
  return distinct.length === 1 ? openDatabase(only) : groupServers(distinct.map(openMember), events);
}

const openControl = (url: string): Sql =>
  postgres(url, {
    max: 1,
    connect_timeout: LONGEST_POLL_MS / 1_000,
    idle_timeout: 0,
    onnotice: () => {},
    fetch_types: false,
    connection: { application_name: "tidemark-gateway-poll", statement_timeout: LONGEST_POLL_MS },
  });

function openMember(url: string): Member {
  const name = serverNameOf(url);
  const database = openDatabase(url);
  let control = openControl(url);
  return {
    name,
    database,
    async poll() {
      let timer: NodeJS.Timeout | undefined;
      const tooLate = new Promise<never>((_, reject) => {
        timer = setTimeout(() => {
          reject(new Error(`${name} did not answer`));
          // TCP may wait for this connection long after the server takes new ones
          control.end({ timeout: 0 }).catch(() => {});
          control = openControl(url);
        }, LONGEST_POLL_MS);
      });
      try {
        return await Promise.race([readReport((text) => control.unsafe<ServerReportRow[]>(text)), tooLate]);
      } finally {
        clearTimeout(timer);
      }
    },
    async close() {
      await Promise.all([database.close(), control.end({ timeout: 1 })]);
    },
  };
}

async function readReport(rows: (text: string) => PromiseLike<readonly ServerReportRow[]>): Promise<ServerReport> {
  const [row] = await rows(SERVER_REPORT_SQL);
  if (!row) throw new Error("a server says nothing of itself");
  return toServerReport(row);
}

const RANKS = { replica: 0, primary: 1, unknown: 2, down: 4 };
const rankOf = ({ role, isBehind }: Server): number => (isBehind && role !== "down" ? 3 : RANKS[role]);
const roleOf = ({ isReplica }: ServerReport) => (isReplica ? "replica" : "primary");

/** Lost in the middle, not refused: the next connection may work. */
const isStale = (error: unknown): boolean => isDatabaseDown(error) && !isUnreached(error);

export function groupServers(members: readonly Member[], { onOutcome, onChange }: ServerEvents = {}): Database {
  const servers = members.map(
    (member): Server => ({ ...member, role: "unknown", isBehind: false, lent: 0, lastLent: 0 }),
  );
  const freshness = new Freshness();
  let turns = 0;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  const note = (server: Server, role: "down" | "replica" | "primary") => {
    if (server.role !== role) onChange?.(server.name, role);
    server.role = role;
  };
  const noteLost = (server: Server) => {
    note(server, "down");
    onOutcome?.(server.name, "down");
  };

  const pollAll = async (): Promise<void> => {
    const polls = await Promise.allSettled(servers.map((server) => server.poll()));
    const seen = polls.map((one) => (one.status === "fulfilled" ? one.value : undefined));
    freshness.notePoll(
      seen.filter((report) => report !== undefined),
      performance.now(),
    );
    for (const [i, server] of servers.entries()) {
      const report = seen[i];
      note(server, report ? roleOf(report) : "down");
      server.isBehind = report !== undefined && freshness.standing(report) !== "fit";
    }
  };
  const pollOn = async (): Promise<void> => {
    await pollAll();
    if (!isClosed) timer = setTimeout(() => void pollOn(), POLL_EVERY_MS).unref();
  };
  const firstPoll = pollOn();

  /** Replicas, the least busy first; then the primary; last those that lagged or were down a moment ago. */
  const inOrder = (refused: ReadonlySet<string>): Server[] =>
    servers
      .filter(({ name }) => !refused.has(name))
      .sort((a, b) => rankOf(a) - rankOf(b) || a.lent - b.lent || a.lastLent - b.lastLent);

  const isFit = (server: Server, report: ServerReport): boolean => {
    freshness.noteReport(report);
    note(server, roleOf(report));
    const verdict = freshness.judge(report);
    onOutcome?.(server.name, verdict === "fit" ? "read" : verdict);
    return verdict === "fit";
  };

  const borrow = async (server: Server): Promise<Connection> => {
    server.lent += 1;
    server.lastLent = ++turns;
    let isOut = true;
    const giveBack = () => {
      if (isOut) server.lent -= 1;
      isOut = false;
    };
    try {
      const connection = await server.database.connect();
      const release = () => {
        giveBack();
        connection.release();
      };
      return withParts(connection, { release });
    } catch (error) {
      giveBack();
      throw error;
    }
  };

  /** A connection to `server`, if it may be read now. */
  const borrowIfFit = async (server: Server): Promise<Connection | undefined> => {
    const connection = await borrow(server);
    try {
      const report = await readReport((text) => connection.rows(text));
      if (isFit(server, report)) return withParts(connection, { server: server.name, isReplica: report.isReplica });
    } catch (error) {
      connection.release();
      throw error;
    }
    connection.release();
    return undefined;
  };

  /** The result of the first server that has one. @throws NoServerError; errors that do not come from a lost server */
  const fromFirst = async <T>(
    refused: ReadonlySet<string>,
    ask: (server: Server) => Promise<T | undefined>,
  ): Promise<T> => {
    await firstPoll;
    for (const server of inOrder(refused)) {
      try {
        const given = await ask(server).catch((error: unknown) => {
          if (isStale(error)) return ask(server);
          throw error;
        });
        if (given !== undefined) return given;
      } catch (error) {
        if (!isDatabaseDown(error)) throw error;
        noteLost(server);
      }
    }
    throw new NoServerError();
  };

  return {
    hasReplicas: true,
    connect: (refused = new Set()) => fromFirst(refused, borrowIfFit),
    rows: <T extends object>(text: string) => fromFirst<T[]>(new Set(), ({ database }) => database.rows<T>(text)),
    noteShown: (position) => freshness.noteShown(position),
    lost(name) {
      const server = servers.find((one) => one.name === name);
      if (server) noteLost(server);
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}

/** 503 `DATABASE_UNAVAILABLE`: no server that can be reached knows enough. */
export class NoServerError extends UnavailableError {
  override name = "NoServerError";

  constructor() {
    super("DATABASE_UNAVAILABLE", "No database server can be read that knows what is asked. Retry in a few seconds.");
  }
}

/** The same connection, some of it replaced. */
const withParts = (connection: Connection, parts: Partial<Connection>): Connection =>
  Object.assign(Object.create(connection) as Connection, parts);
