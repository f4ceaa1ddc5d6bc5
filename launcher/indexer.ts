// `npm run indexer`: Ponder of one chain alone, kept alive, on a database and a node of yours; the fold runs beside it. What
// `npm start` does before it starts Ponder is done here, too.
import { join } from "node:path";
import { ponderSchemaName } from "../chains/build-hash.ts";
import { identityOf } from "../chains/json-rpc.ts";
import { refuseArguments } from "../core/set-variables.ts";
import { databaseComplaint } from "../database/server-url.ts";
import { withConnection } from "../database/with-connection.ts";
import { requireFreePort } from "../machine/ports.ts";
import { withWayOut } from "./chain/awaited-node.ts";
import { requireRightChainFile } from "./chain/chain-check.ts";
import { guardInstance } from "./chain/instance-guard.ts";
import { WrongChainError } from "./chain/served-chain.ts";
import { EnvironmentError, readEnvironment, type ServedChain } from "./environment.ts";
import { supervisePonder } from "./ponder/supervised-ponder.ts";
import { deathLine } from "./process/supervised-child.ts";
import { realPrograms } from "./programs.ts";

interface Place {
  served: ServedChain;
  rpcUrl: string;
  databaseUrl: string;
  dataDir: string;
}

/** @throws EnvironmentError naming what is missing */
function readPlace(): Place {
  const { chains, databaseUrl, dataDir } = readEnvironment();
  const [served, ...others] = chains;
  if (others.length > 0) throw new EnvironmentError("CHAIN names several chains: start one indexer for each");
  if (databaseUrl === undefined) throw new EnvironmentError("DATABASE_URL is not set: the indexer starts no database");
  if (served.rpcUrl === undefined) throw new EnvironmentError("RPC_URL is not set: the indexer starts no devnet");
  return { served, rpcUrl: served.rpcUrl, databaseUrl, dataDir };
}

/** Makes sure that node and chain file belong together, and that the database holds no other chain of the same id. */
async function guard({ served, rpcUrl, databaseUrl }: Place): Promise<void> {
  const { chainId, genesisHash } = await identityOf(rpcUrl);
  if (chainId !== served.chain.chainId)
    throw new WrongChainError(served.name, { says: served.chain.chainId, serves: chainId });
  await requireRightChainFile(served, rpcUrl, (line) => console.log(line));
  const instance = { chainId, instance: genesisHash, isReplaceable: false };
  await withConnection(databaseUrl, (sql) => guardInstance(sql, instance));
}

async function main(): Promise<void> {
  refuseArguments(process.argv.slice(2));
  const place = readPlace();
  // Ponder would take another port, and its signs of life would be those of who has this one
  await requireFreePort(place.served.ponderPort, "PONDER_PORT");
  await guard(place);
  const ponderSchema = ponderSchemaName(place.served.chain);
  const logFile = join(place.dataDir, "logs", "ponder.log");
  const child = supervisePonder(
    { ...place, ponderSchema, programs: realPrograms(false), logFile, say: (line) => console.log(line) },
    { onDeath: (death) => console.error(deathLine("Ponder", death)) },
  );
  console.log(`indexing ${place.served.name} into ${ponderSchema}; log: ${logFile}`);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void child.stop());
  const reason = await child.finished;
  if (reason !== undefined) throw new Error(reason);
}

main().catch((error: unknown) => {
  console.error(`indexer: ${databaseComplaint(withWayOut(error))}`);
  process.exitCode = 1;
});
