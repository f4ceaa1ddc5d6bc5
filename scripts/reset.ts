// `npm run reset`: forgets everything that was indexed of the chains that CHAIN names, Ponder's cache of them included.
// The next `npm start` reads them from the node anew.
import postgres from "postgres";
import type { ChainFile } from "../chains/chain-file.ts";
import { openDatabase } from "./launcher/database.ts";
import { readEnvironment } from "./launcher/environment.ts";
import { indexersOf, resetChain } from "./launcher/instance-guard.ts";
import { claimRun } from "./launcher/run-record.ts";
import { createShutdown } from "./launcher/shutdown.ts";

async function reset(): Promise<void> {
  const environment = readEnvironment();
  const { run } = await claimRun(environment.dataDir);
  const shutdown = createShutdown();
  try {
    const { databaseUrl } = await openDatabase(environment, shutdown, {
      onStart: () => {},
      onDeath: (message) => console.error(message),
    });
    const sql = postgres(databaseUrl, { max: 1, connect_timeout: 10, onnotice: () => {} });
    try {
      for (const served of environment.chains) await resetOne(sql, served.chain);
    } finally {
      await sql.end({ timeout: 2 });
    }
  } finally {
    await shutdown.stopAll();
    run.release();
  }
}

async function resetOne(sql: postgres.Sql, { name, chainId }: ChainFile): Promise<void> {
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
