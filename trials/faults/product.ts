// What indexes one chain into one database, as `npm start` does: Ponder, the fold and the lake's writer. Each can be killed.
import { ponderSchemaName } from "../../chains/build-hash.ts";
import { loadChain } from "../../chains/load.ts";
import { preparePonder } from "../../launcher/ponder/supervised-ponder.ts";
import { ponderProgram } from "../../launcher/programs.ts";
import { Part } from "./part.ts";
import type { TrialClock } from "./trial-clock.ts";

export interface ProductPlace {
  databaseUrl: string;
  rpcUrl: string;
  /** Path of the chain file. */
  chainFile: string;
  /** The folder of its lake. */
  lakeFolder: string;
  logFolder: string;
  ponderPort: number;
  /** Goes before the names of its parts, and of their logs: two products write different ones. */
  prefix?: string;
  /** The clock that the parts see; absent: the true time. */
  clock?: Pick<TrialClock, "arguments" | "env">;
}

export interface Product extends ProductPlace {
  chainId: number;
  ponderSchema: string;
  /** The environment that the parts are started with. */
  env: Record<string, string>;
  ponder: Part;
  fold: Part;
  /** The lake's writer, which follows what becomes final. */
  lake: Part;
  /** What the launcher does before it starts Ponder. */
  prepare(): Promise<void>;
  /** Prepares, then starts Ponder, which must be down. */
  restartPonder(): Promise<void>;
  /** Ends every part. */
  kill(): Promise<void>;
}

/** No part of it runs yet. */
export function createProduct(place: ProductPlace): Product {
  const { databaseUrl, rpcUrl, chainFile, lakeFolder, logFolder, ponderPort, prefix = "" } = place;
  const clock = place.clock ?? { arguments: [], env: {} };
  const chain = loadChain(chainFile);
  const ponderSchema = ponderSchemaName(chain);
  const env = {
    ...clock.env,
    DATABASE_URL: databaseUrl,
    RPC_URL: rpcUrl,
    CHAIN: chainFile,
    PONDER_SCHEMA: ponderSchema,
    PONDER_PORT: String(ponderPort),
    PONDER_TELEMETRY_DISABLED: "1",
    LOG_LEVEL: "info",
  };
  const prepare = () => preparePonder({ databaseUrl, rpcUrl, ponderSchema, chain, say: () => {} });
  const start = ["start", "--schema", ponderSchema, "-p", String(ponderPort), "--log-format", "json"];
  const ponder = new Part({
    name: `${prefix}ponder`,
    command: [...clock.arguments, ...ponderProgram, ...start],
    // Ponder prefers PORT over its -p
    env: { ...env, PORT: String(ponderPort) },
    logFolder,
    isSupervised: false,
    prepare,
  });
  const fold = new Part({
    name: `${prefix}fold`,
    command: [...clock.arguments, "fold/main.ts"],
    env,
    logFolder,
    isSupervised: true,
  });
  const lake = new Part({
    name: `${prefix}lake`,
    command: [...clock.arguments, "lake/main.ts", "--follow"],
    env: { ...env, LAKE: lakeFolder },
    logFolder,
    isSupervised: true,
  });
  return {
    ...place,
    chainId: chain.chainId,
    ponderSchema,
    env,
    ponder,
    fold,
    lake,
    prepare,
    async restartPonder() {
      await prepare();
      ponder.start();
    },
    async kill() {
      for (const part of [lake, fold, ponder]) await part.kill();
    },
  };
}
