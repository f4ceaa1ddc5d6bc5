// What the launcher starts, and with which environment. All in one place, so that tests can replace it with stand-ins.
import { join } from "node:path";
import { DEVNET_CHAIN_ID } from "../devnet/anvil.ts";
import { standInEnvironment } from "../devnet/standins/all.ts";
import { standInUrl } from "../devnet/standins/serve.ts";
import { projectRoot } from "../machine/project-root.ts";
import type { LauncherEnvironment, ServedChain } from "./environment.ts";

/** Arguments for Node, relative to the project. */
export interface Programs {
  devnet: readonly string[];
  fold: readonly string[];
  gateway: readonly string[];
  lake: readonly string[];
  ponder: readonly string[];
  sql: readonly string[];
}

/**
 * The logs that the node sends are checked on their way in: scripts/ponder/checked-node.ts says why.
 *
 * Ponder keeps every row of a batch until it is written: with Node's default nursery (16 MB) most of them are copied to
 * the old generation first, a fifth of a backfill's time.
 */
export const ponderProgram: readonly string[] = [
  "--disable-warning=ExperimentalWarning",
  `--import=${new URL("../scripts/ponder/checked-node.ts", import.meta.url).href}`,
  "--max-semi-space-size=64",
  "node_modules/ponder/dist/esm/bin/ponder.js",
];

/**
 * The objects that answers are made of live for a few milliseconds, mostly too long for Node's default nursery, and must die in
 * the nursery: otherwise V8 comes to treat what some places in the code make as long-lived, and allocates it in the old generation
 * from then on. Without a limit the heap would grow to several times the live data before it is swept; with an initial size it has
 * room under load from the beginning, and is seldom swept. See ADR 0018.
 */
const gatewayHeap = [
  "--max-semi-space-size=32",
  "--initial-old-space-size=320",
  "--max-old-space-size=1024",
  "--no-allocation-site-pretenuring",
];

/** The facts of a batch and its rows live until they are written. */
const foldHeap = ["--max-semi-space-size=32"];

/** With `isDev`, fold and gateway start again whenever one of their files changes. */
export const realPrograms = (isDev: boolean): Programs => {
  const quiet = ["--disable-warning=ExperimentalWarning"];
  const watched = isDev ? [...quiet, "--watch", "--watch-preserve-output"] : quiet;
  return {
    devnet: ["devnet/main.ts", "--json"],
    fold: [...foldHeap, ...watched, "fold/main.ts"],
    gateway: [...gatewayHeap, ...watched, "gateway/main.ts"],
    lake: [...quiet, "lake/main.ts", "--follow"],
    ponder: ponderProgram,
    sql: [...quiet, "sql/main.ts", "serve"],
  };
};

/** The parent's environment, with Node 22 first on the PATH and without what npm set for our own script. */
function baseEnvironment(): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !/^npm_(lifecycle|package)_/.test(name));
  const path = `${join(projectRoot, "node_modules", ".bin")}:${process.env.PATH ?? ""}`;
  return { ...Object.fromEntries(inherited), PATH: path };
}

export interface DatabasePlace {
  /** By TCP. */
  databaseUrl: string;
  /** Of a server of ours: where its Unix socket is. */
  socketFolder?: string | undefined;
}

/**
 * A statement through a socket costs the process that sends it a quarter less than by TCP. What the URL leaves out, every driver
 * takes from libpq's variables.
 */
function databaseVariables({ databaseUrl, socketFolder }: DatabasePlace): NodeJS.ProcessEnv {
  if (socketFolder === undefined) return { DATABASE_URL: databaseUrl };
  const { username, password, port, pathname } = new URL(databaseUrl);
  const variables = { PGHOST: socketFolder, PGPORT: port, PGUSER: username, PGPASSWORD: password };
  return { DATABASE_URL: `postgres://${pathname}`, ...variables };
}

/** `<name>_<chain id>` for each chain's own process. */
const urls = (name: string, ports: ReadonlyMap<number, number> = new Map()): Record<string, string> =>
  Object.fromEntries([...ports].map(([chainId, port]) => [`${name}_${chainId}`, `http://127.0.0.1:${port}`]));

export function gatewayEnvironment(environment: LauncherEnvironment, database: DatabasePlace): NodeJS.ProcessEnv {
  const { chainList, port, host, standInsPort, sqlPorts, lakePorts } = environment;
  const standIns =
    standInsPort === undefined ? {} : standInEnvironment((one) => standInUrl(standInsPort, one), DEVNET_CHAIN_ID);
  const given = baseEnvironment();
  // what the user sets for all chains takes precedence, too: a variable of one chain would hide it
  const isGiven = (name: string) =>
    given[name.replace(`_${DEVNET_CHAIN_ID}`, "")] || given[`${name.split("_")[0]}_URL`];
  const unset = Object.entries(standIns).filter(([name]) => !isGiven(name));
  return {
    // glibc gives each thread of the collector an arena of its own: 28 MB under load, 10 with two
    MALLOC_ARENA_MAX: "2",
    ...Object.fromEntries(unset),
    ...given,
    CHAIN: chainList,
    ...databaseVariables(database),
    PORT: String(port),
    HOST: host,
    ...urls("SQL_URL", sqlPorts),
    ...urls("LAKE_URL", lakePorts),
  };
}

/** For the process that answers SQL about one chain. */
export const sqlEnvironment = (
  { dataDir, lake, lakePorts }: LauncherEnvironment,
  { served, port, ...database }: DatabasePlace & { served: ServedChain; port: number },
): NodeJS.ProcessEnv => ({
  ...baseEnvironment(),
  // memory that is given back is not kept by one arena for each thread
  MALLOC_ARENA_MAX: "2",
  CHAIN: served.name,
  ...databaseVariables(database),
  TIDEMARK_DATA: dataDir,
  SQL_PORT: String(port),
  ...urls("LAKE_URL", lakePorts),
  ...(lake === undefined ? {} : { LAKE: lake }),
});

export interface Indexing extends DatabasePlace {
  served: ServedChain;
  rpcUrl: string;
  ponderSchema: string;
}

/** For Ponder and for the fold of one chain. */
export function indexingEnvironment({ served, rpcUrl, ponderSchema, ...database }: Indexing): NodeJS.ProcessEnv {
  return {
    ...baseEnvironment(),
    CHAIN: served.name,
    RPC_URL: rpcUrl,
    ...databaseVariables(database),
    PONDER_SCHEMA: ponderSchema,
    // Ponder prefers PORT, which is the gateway's, over its own -p
    PORT: String(served.ponderPort),
    PONDER_PORT: String(served.ponderPort),
    PONDER_TELEMETRY_DISABLED: "1",
  };
}

/** The devnet's stand-ins take their prices from the gateway's own router. */
export function devnetEnvironment({ devnetPort, dataDir, ...environment }: LauncherEnvironment): NodeJS.ProcessEnv {
  const { host, port, standInsPort } = environment;
  const standIns =
    standInsPort === undefined
      ? {}
      : { STAND_INS_PORT: String(standInsPort), GATEWAY_URL: `http://${reachableHost(host)}:${port}` };
  return { ...baseEnvironment(), ...standIns, DEVNET_PORT: String(devnetPort), TIDEMARK_DATA: dataDir };
}

/** Where a server that listens on `host` can be reached from here. */
export const reachableHost = (host: string): string =>
  host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host;
