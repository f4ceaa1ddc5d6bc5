// The only place where the launcher reads process.env. A bad value stops the start with one clear line.
import { resolve } from "node:path";
import { z } from "zod";
import type { ChainFile } from "../chains/chain-file.ts";
import { loadChains } from "../chains/load.ts";
import { nodeUrlProblem } from "../chains/node-url.ts";
import { setVariables } from "../core/set-variables.ts";
import { isServerUrl, SERVER_URL_PROBLEM } from "../database/server-url.ts";
import { projectRoot } from "../machine/project-root.ts";
import { BLOOM_CHECKS } from "../scripts/ponder/blooms.ts";

const LAST_PORT = 65_535;
const port = z
  .string()
  .regex(/^\d{1,5}$/, "must be a port number")
  .transform(Number)
  .pipe(z.number().min(1, `must be 1 to ${LAST_PORT}`).max(LAST_PORT, `must be 1 to ${LAST_PORT}`));
const postgresUrl = z.string().refine(isServerUrl, SERVER_URL_PROBLEM);
const httpUrl = z.string().superRefine((text, context) => {
  const problem = nodeUrlProblem(text);
  if (problem !== undefined) context.addIssue(problem);
});

/** A variable with what is wrong in it; addresses hold keys and passwords, and are not shown. */
const complaint = (name: string, value: string | undefined, problem: string | undefined): string =>
  `${name}${name.includes("URL") ? "" : `=${value ?? ""}`}: ${problem}`;

const schema = z.object({
  CHAIN: z.string().default("devnet"),
  RPC_URL: httpUrl.optional(),
  DATABASE_URL: postgresUrl.optional(),
  DATABASE_READ_URL: z.string().optional(),
  DATABASE_PORT: port.optional(),
  PORT: port.default(4000),
  HOST: z.string().min(1).default("127.0.0.1"),
  PONDER_PORT: port.default(42069),
  DEVNET_PORT: port.default(8545),
  TIDEMARK_DATA: z.string().min(1).default(".tidemark"),
  LAKE: z.string().min(1).optional(),
  CHECK_BLOOMS: z.enum(BLOOM_CHECKS, `must be one of ${BLOOM_CHECKS.join(", ")}`).default("learn"),
  SQL: z.enum(["on", "off"], "must be on or off").default("off"),
});

/** The variables that the launcher reads, besides `RPC_URL_<chain id>`. */
export const settingNames: readonly string[] = Object.keys(schema.shape);

/** One chain to index and where its node is; `rpcUrl` is absent for the devnet that we start ourselves. */
export interface ServedChain {
  chain: ChainFile;
  /** What `CHAIN` calls it: a name or a path. */
  name: string;
  rpcUrl: string | undefined;
  ponderPort: number;
}

export interface LauncherEnvironment {
  /** The value of `CHAIN`, for the gateway. */
  chainList: string;
  chains: [ServedChain, ...ServedChain[]];
  databaseUrl: string | undefined;
  hasReplicas: boolean;
  databasePort: number | undefined;
  port: number;
  host: string;
  devnetPort: number;
  /** Port of the devnet's stand-ins for outside swap services; undefined until one is chosen. */
  standInsPort?: number;
  /** Absolute. */
  dataDir: string;
  /** The folder of the history lake, absolute; undefined: none is kept. */
  lake: string | undefined;
  /** Whether POST /sql is answered. */
  answersSql: boolean;
  /** Ports of the processes that answer SQL, by chain id. */
  sqlPorts?: ReadonlyMap<number, number>;
  /** Ports of the processes that write the lake and load from it, by chain id. */
  lakePorts?: ReadonlyMap<number, number>;
}

/**
 * Empty variables count as unset. Without `needsNodes` no chain has an `rpcUrl`, and none need be set.
 * @throws EnvironmentError naming the variable; ChainFileError for what `CHAIN` names
 */
export function readEnvironment(env: NodeJS.ProcessEnv = process.env, { needsNodes = true } = {}): LauncherEnvironment {
  const given = setVariables(env);
  const parsed = schema.safeParse(given);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const name = String(issue?.path[0]);
    throw new EnvironmentError(`${complaint(name, given[name], issue?.message)}; see .env.example`);
  }
  const values = parsed.data;
  const names = values.CHAIN.split(",").map((name) => name.trim());
  const [first, ...others] = loadChains(values.CHAIN).map(
    (chain, index): ServedChain => ({
      chain,
      name: names[index] ?? chain.name,
      rpcUrl: needsNodes ? rpcUrlOf(chain, { env: given, isOnly: names.length === 1 }) : undefined,
      ponderPort: values.PONDER_PORT + index,
    }),
  );
  if (first === undefined) throw new EnvironmentError("CHAIN is empty: name a chain file, e.g. CHAIN=devnet");
  refuseEqualPorts({
    PORT: values.PORT,
    DEVNET_PORT: values.DEVNET_PORT,
    DATABASE_PORT: values.DATABASE_PORT,
    PONDER_PORT: values.PONDER_PORT,
    ...Object.fromEntries(others.map(({ name, ponderPort }) => [`PONDER_PORT of ${name}`, ponderPort])),
  });
  if (values.SQL === "on" && values.LAKE === undefined)
    throw new EnvironmentError("SQL=on needs LAKE: name the folder of the history lake, e.g. LAKE=lake-data");
  return {
    chainList: values.CHAIN,
    chains: [first, ...others],
    databaseUrl: values.DATABASE_URL,
    hasReplicas: values.DATABASE_READ_URL !== undefined,
    databasePort: values.DATABASE_PORT,
    port: values.PORT,
    host: values.HOST,
    devnetPort: values.DEVNET_PORT,
    dataDir: resolve(values.TIDEMARK_DATA),
    lake: values.LAKE === undefined ? undefined : resolve(projectRoot, values.LAKE),
    answersSql: values.SQL === "on",
  };
}

/** `RPC_URL_<chain id>` wins; plain `RPC_URL` serves a single chain; the devnet needs neither. */
function rpcUrlOf(chain: ChainFile, { env, isOnly }: { env: NodeJS.ProcessEnv; isOnly: boolean }): string | undefined {
  const variable = `RPC_URL_${chain.chainId}`;
  const own = env[variable];
  if (own !== undefined) {
    const parsed = httpUrl.safeParse(own);
    if (!parsed.success) throw new EnvironmentError(complaint(variable, own, parsed.error.issues[0]?.message));
    return own;
  }
  if (isOnly && env.RPC_URL !== undefined) return env.RPC_URL;
  if (chain.name === "devnet") return undefined;
  throw new EnvironmentError(
    `${isOnly ? "RPC_URL" : variable} is not set: chain ${chain.name} needs the URL of a node (archive not needed)`,
  );
}

function refuseEqualPorts(ports: Record<string, number | undefined>): void {
  const seen = new Map<number, string>();
  for (const [name, value] of Object.entries(ports)) {
    if (value === undefined) continue;
    if (value > LAST_PORT) throw new EnvironmentError(`${name} would be ${value}: set PONDER_PORT to a lower one`);
    const twin = seen.get(value);
    if (twin !== undefined) throw new EnvironmentError(`${twin} and ${name} are both ${value}; give each its own port`);
    seen.set(value, name);
  }
}

/** A variable cannot be used; the message is one line with the cure. */
export class EnvironmentError extends Error {
  override name = "EnvironmentError";
}
