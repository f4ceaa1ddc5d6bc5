// The database of this run: the one DATABASE_URL names, else our own server, started again whenever it dies.
import { withoutKeys } from "../../core/without-keys.ts";
import { withConnection } from "../../database/with-connection.ts";
import { identify, type ProcessIdentity, signal } from "../../machine/processes.ts";
import type { LauncherEnvironment } from "../environment.ts";
import type { Shutdown } from "../process/shutdown.ts";
import type { DatabasePlace } from "../programs.ts";
import { DatabaseStartError } from "./binaries.ts";
import { type PostgresServer, startPostgres } from "./server.ts";

const OLDEST_MAJOR = 14;
const RESTARTS = 5;

export interface DatabaseEvents {
  onStart: (identity: ProcessIdentity | undefined) => void;
  /** Our server died and is being started again, or (`isFinal`) cannot be. */
  onDeath: (message: string, isFinal: boolean) => void;
}

export interface OpenDatabase extends DatabasePlace {
  /** One line about it. */
  description: string;
  /** Lines about what somebody may want to remove. */
  remarks: readonly string[];
}

/** @throws DatabaseStartError, PortInUseError */
export async function openDatabase(
  environment: LauncherEnvironment,
  shutdown: Shutdown,
  events: DatabaseEvents,
): Promise<OpenDatabase> {
  if (environment.databaseUrl !== undefined) return checkExternal(environment.databaseUrl);
  const dataDir = `${environment.dataDir}/postgres`;
  const start = (port: number | undefined) =>
    startPostgres({ dataDir, hasReplicas: environment.hasReplicas, ...(port ? { port } : {}) });
  let starting = start(environment.databasePort);
  shutdown.add("database", {
    stop: async () => (await starting.catch(() => undefined))?.stop(),
    kill: () => void starting.then(({ pid }) => signal(pid, "SIGQUIT")).catch(() => {}),
  });
  const server = await starting;
  events.onStart(identify(server.pid));
  const port = Number(new URL(server.url).port);
  const keepAlive = async (current: PostgresServer) => {
    for (let alive = current, deaths = 1; ; deaths++) {
      const since = performance.now();
      await alive.ended;
      if (shutdown.isStopping) return;
      if (performance.now() - since > 60_000) deaths = 1;
      if (deaths > RESTARTS)
        throw new DatabaseStartError(`PostgreSQL ended ${deaths} times in a row; see ${alive.logFile}`);
      events.onDeath(`PostgreSQL ended by itself; starting it again (log: ${alive.logFile})`, false);
      starting = start(port);
      alive = await starting;
      events.onStart(identify(alive.pid));
    }
  };
  keepAlive(server).catch((error: unknown) =>
    events.onDeath(error instanceof Error ? error.message : String(error), true),
  );
  const { url: databaseUrl, socketFolder, description } = server;
  const remarks = server.left.map(
    (folder) =>
      `${folder} holds a database that was made for ${dataDir}: remove it unless a clone that was moved uses it`,
  );
  return { databaseUrl, socketFolder, description, remarks };
}

async function checkExternal(url: string): Promise<OpenDatabase> {
  const shown = withoutKeys(url);
  try {
    const [server] = await withConnection(
      url,
      (sql) => sql`select current_setting('server_version_num')::int / 10000 as major`,
    );
    if (Number(server?.major) < OLDEST_MAJOR)
      throw new DatabaseStartError(
        `DATABASE_URL: ${shown} is PostgreSQL ${server?.major}; ${OLDEST_MAJOR} or newer is needed`,
      );
    return { databaseUrl: url, description: `PostgreSQL ${server?.major} at ${shown}`, remarks: [] };
  } catch (error) {
    if (error instanceof DatabaseStartError) throw error;
    const why = error instanceof Error ? error.message || String((error as NodeJS.ErrnoException).code) : String(error);
    throw new DatabaseStartError(
      `DATABASE_URL: ${shown} cannot be used (${why}); start that server or unset DATABASE_URL for an embedded one`,
    );
  }
}
