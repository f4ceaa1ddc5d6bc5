// The only place where the SQL process reads process.env: what is unset comes from the running `npm start`.
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import { z } from "zod";
import type { ChainFile } from "../chains/chain-file.ts";
import { loadSingleChain } from "../chains/load.ts";
import { LOG_LEVEL_PROBLEM, LOG_LEVELS } from "../core/log-levels.ts";
import { settingComplaint, setVariables } from "../core/set-variables.ts";
import { requireServerUrl } from "../database/server-url.ts";
import { projectRoot } from "../machine/project-root.ts";
import { readPublishedRun } from "../machine/published-run.ts";
import type { StatementLimits } from "./limits.ts";

/** DuckDB's least memory: with less it cannot load what is newer than the lake. */
const LEAST_MEMORY = 128;

const whole = (most: number, least = 1) => {
  const problem = `must be a whole number from ${least} to ${most}`;
  return z.coerce.number(problem).int(problem).min(least, problem).max(most, problem);
};

const schema = z.object({
  CHAIN: z.string().optional(),
  DATABASE_URL: z.string().optional(),
  LAKE: z.string().optional(),
  LAKE_URL: z.string().optional(),
  TIDEMARK_DATA: z.string().default(".tidemark"),
  SQL_PORT: whole(65_535, 0).default(0),
  SQL_SECONDS: whole(3_600).default(30),
  SQL_ROWS: whole(1_000_000_000).default(1_000_000),
  SQL_MB: whole(1_000_000).default(256),
  SQL_MEMORY_MB: whole(1_000_000, LEAST_MEMORY).default(1_024),
  SQL_THREADS: whole(256).default(Math.max(1, Math.floor(availableParallelism() / 2))),
  LOG_LEVEL: z.enum(LOG_LEVELS, LOG_LEVEL_PROBLEM).default("info"),
});

export interface SqlEnvironment {
  chain: ChainFile;
  databaseUrl: string;
  /** Absolute: that of the chain, `<lake>/<chain id>`. */
  lakeFolder: string;
  /** Where the process listens that loads pruned history. */
  lakeUrl: string | undefined;
  /** Absolute. */
  dataFolder: string;
  port: number;
  limits: StatementLimits;
  memoryMegabytes: number;
  threads: number;
  logLevel: string;
}

/** Empty variables count as unset. @throws Error with one line that says what to set; ChainFileError */
export function readEnvironment(env: NodeJS.ProcessEnv = process.env): SqlEnvironment {
  const set = setVariables(env);
  const parsed = schema.safeParse(set);
  if (!parsed.success) throw new Error(settingComplaint(parsed.error.issues[0], set));
  const values = parsed.data;
  const running = readPublishedRun(values.TIDEMARK_DATA);
  const databaseUrl = values.DATABASE_URL ?? running?.databaseUrl;
  if (databaseUrl === undefined)
    throw new Error("DATABASE_URL is not set and nothing is running: run `npm start` first, or set it");
  requireServerUrl("DATABASE_URL", databaseUrl);
  const lake = values.LAKE ?? running?.lake;
  if (lake === undefined) throw new Error("LAKE is not set: name the folder of the lake, e.g. LAKE=lake-data");
  const chain = loadSingleChain(values.CHAIN, running?.chain);
  return {
    chain,
    databaseUrl,
    lakeFolder: join(resolve(projectRoot, lake), String(chain.chainId)),
    lakeUrl: set[`LAKE_URL_${chain.chainId}`] ?? values.LAKE_URL,
    dataFolder: resolve(values.TIDEMARK_DATA),
    port: values.SQL_PORT,
    limits: { seconds: values.SQL_SECONDS, rows: values.SQL_ROWS, bytes: values.SQL_MB * 1024 * 1024 },
    memoryMegabytes: values.SQL_MEMORY_MB,
    threads: values.SQL_THREADS,
    logLevel: values.LOG_LEVEL,
  };
}
