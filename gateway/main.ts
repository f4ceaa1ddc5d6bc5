// The gateway's process: read the environment, listen, leave cleanly.
import { pino } from "pino";
import { LOG_DESTINATION, outliveFullDisk } from "../core/log-output.ts";
import { refuseArguments } from "../core/set-variables.ts";
import { AnswerCache } from "./cache/answer-cache.ts";
import { ChainMemory } from "./database/chain-memory.ts";
import { openDatabases } from "./database/database-servers.ts";
import { type GatewayEnvironment, readEnvironment } from "./env.ts";
import { databaseReads } from "./instruments.ts";
import { LakeHistory } from "./lake/lake-history.ts";
import { loadPages } from "./pages/load-jsx.ts";
import { createApp, listen } from "./server.ts";
import { openService } from "./service.ts";
import { SqlAccess } from "./sql/sql-access.ts";

/** Answers under way get this long to finish. */
const GRACE_MS = 5_000;

/** A line for each request: they are written together. */
const TOGETHER = { ...LOG_DESTINATION, sync: false, minLength: 16_000, periodicFlush: 200 };

let environment: GatewayEnvironment;
try {
  refuseArguments(process.argv.slice(2));
  environment = readEnvironment();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}

const { chains, databaseUrls, host, port, logLevel, quotes, access, cacheBytes, sqlUrls, lakeUrls } = environment;
const log = pino({ level: logLevel, base: { part: "gateway" } }, outliveFullDisk(pino.destination(TOGETHER)));
const database = openDatabases(databaseUrls, {
  onChange: (server, now) => log[now === "down" ? "warn" : "info"]({ server, now }, "a database server changed"),
  onOutcome: (server, outcome) => databaseReads.inc({ server, outcome }),
});
const service = openService({
  chains,
  database,
  memory: new ChainMemory(database),
  cache: new AnswerCache({ mostBytes: cacheBytes }),
  quotes: { ...quotes, onDefect: (defect) => log.error(defect, "an answer of a provider could not be read") },
  sql: new SqlAccess(sqlUrls),
  past: new LakeHistory(lakeUrls),
});

const stopping = new AbortController();
const app = createApp(service, log, { stopping: stopping.signal, access, pages: await loadPages() });
const server = await listen(app, { host, port }).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
log.info({ host, port, chains: chains.map((chain) => chain.name) }, "listening");

let isStopping = false;
async function stop(): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  stopping.abort();
  const closed = new Promise((resolve) => server.close(resolve));
  const lastCall = setTimeout(() => server.closeAllConnections(), GRACE_MS);
  server.closeIdleConnections();
  await closed;
  clearTimeout(lastCall);
  await database.close();
  process.exit(0);
}
process.on("SIGTERM", () => void stop());
process.on("SIGINT", () => void stop());
// The launcher is gone: nobody would stop this process any more.
process.on("disconnect", () => void stop());
