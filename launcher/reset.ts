// `npm run reset`: forgets everything that was indexed of the chains that CHAIN names, Ponder's cache of them included.
// The next `npm start` reads them from the node again.
import type { Sql } from "postgres";
import type { ChainFile } from "../chains/chain-file.ts";
import { refuseArguments } from "../core/set-variables.ts";
import { withConnection } from "../database/with-connection.ts";
import { readPublishedRun } from "../machine/published-run.ts";
import { indexersOf, resetChain } from "./chain/instance-guard.ts";
import { type LauncherEnvironment, readEnvironment } from "./environment.ts";
import { openDatabase } from "./postgres/database.ts";
import { AlreadyRunningError, claimRun } from "./process/run-record.ts";
import { createShutdown } from "./process/shutdown.ts";

async function reset(): Promise<void> {
  refuseArguments(process.argv.slice(2));
  const environment = readEnvironment(process.env, { needsNodes: false });
  const claimed = await claimRun(environment.dataDir).catch((error: unknown) => {
    if (error instanceof AlreadyRunningError) return error;
    throw error;
  });
  if (claimed instanceof AlreadyRunningError) return resetBeside(environment, claimed);
  const shutdown = createShutdown();
  try {
    const { databaseUrl } = await openDatabase(environment, shutdown, {
      onStart: () => {},
      onDeath: (message) => console.error(message),
    });
    await resetAll(databaseUrl, environment);
  } finally {
    await shutdown.stopAll();
    claimed.run.release();
  }
}

/** Beside an `npm start` on the same folder, in its database: resets chains that it does not serve. @throws `running` where it serves one */
async function resetBeside(environment: LauncherEnvironment, running: AlreadyRunningError): Promise<void> {
  const run = readPublishedRun(environment.dataDir);
  if (run === undefined || environment.chains.some(({ chain }) => chain.chainId in run.rpcUrls)) throw running;
  await resetAll(run.databaseUrl, environment);
}

async function resetAll(databaseUrl: string, { chains }: LauncherEnvironment): Promise<void> {
  await withConnection(databaseUrl, async (sql) => {
    for (const { chain } of chains) await resetOne(sql, chain);
  });
}

async function resetOne(sql: Sql, { name, chainId }: ChainFile): Promise<void> {
  const busy = await indexersOf(sql, chainId);
  if (busy.length > 0)
    throw new Error(`${busy.join(" and ")} of chain ${chainId} still runs on this database: stop it first`);
  const dropped = await resetChain(sql, chainId);
  console.log(`${name} (chain ${chainId}): dropped ${dropped.join(", ") || "nothing: there was nothing"}`);
}

reset().catch((error: unknown) => {
  console.error(`reset: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
});
