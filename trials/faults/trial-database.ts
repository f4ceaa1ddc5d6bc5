// The database of a trial: can be crashed on demand, and started again on its port after it ended by itself.
import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { type PostgresServer, startPostgres } from "../../launcher/postgres/server.ts";

export interface TrialDatabase {
  url: string;
  /** Immediate shutdown, as in a crash, and a new start. */
  crash(): Promise<void>;
  /** Starts the database again if it has ended; resolves, once it answers, to whether it had ended. @throws Error after a minute */
  revive(): Promise<boolean>;
  stop(): Promise<void>;
}

const PATIENCE_MS = 60_000;

export async function startTrialDatabase(dataDir: string): Promise<TrialDatabase> {
  const options = { dataDir, isTemporary: true };
  let isDown = false;
  const start = async (port?: number): Promise<PostgresServer> => {
    const started = await startPostgres({ ...options, ...(port === undefined ? {} : { port }) });
    isDown = false;
    void started.ended.then(() => {
      isDown = true;
    });
    return started;
  };
  let server = await start();
  const { url } = server;
  const port = Number(new URL(url).port);
  return {
    url,
    async crash() {
      process.kill(server.pid, "SIGQUIT");
      await server.ended;
      server = await start(port);
    },
    async revive() {
      let wasDown = false;
      for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(200)) {
        if (isDown) {
          wasDown = true;
          server = await start(port);
        }
        if (await answers(url)) return wasDown;
      }
      throw new Error(`the database did not come back within ${PATIENCE_MS / 1_000} s`);
    },
    stop: () => server.stop(),
  };
}

async function answers(url: string): Promise<boolean> {
  const sql = postgres(url, { max: 1, connect_timeout: 5, onnotice: () => {} });
  try {
    await sql`select 1`;
    return true;
  } catch {
    return false;
  } finally {
    await sql.end({ timeout: 1 });
  }
}
