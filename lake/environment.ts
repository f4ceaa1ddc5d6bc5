// The only place where the lake's writer reads process.env: what is unset comes from the running `npm start`.
import { resolve } from "node:path";
import { z } from "zod";
import type { ChainFile } from "../chains/chain-file.ts";
import { loadSingleChain } from "../chains/load.ts";
import { LOG_LEVEL_PROBLEM, LOG_LEVELS } from "../core/log-levels.ts";
import { settingComplaint, setVariables } from "../core/set-variables.ts";
import { requireServerUrl } from "../database/server-url.ts";
import { projectRoot } from "../machine/project-root.ts";
import { readPublishedRun } from "../machine/published-run.ts";

export interface LakeEnvironment {
  databaseUrl: string;
  chain: ChainFile;
  /** Absolute. */
  lake: string;
  /** The port on which gateways ask for pruned history; undefined: none. */
  port: number | undefined;
  /** How long loaded history stays, and how many rows of it. */
  keep: { seconds: number; rows: number };
  logLevel: string;
}

const whole = (most: number) => {
  const problem = `must be a whole number from 0 to ${most}`;
  return z.coerce.number(problem).int(problem).min(0, problem).max(most, problem);
};

const settings = z.object({
  LOG_LEVEL: z.enum(LOG_LEVELS, LOG_LEVEL_PROBLEM).default("info"),
  LAKE_PORT: whole(65_535).optional(),
  LAKE_LOADED_MINUTES: whole(1_000_000).default(60),
  LAKE_LOADED_ROWS: whole(1_000_000_000_000).default(20_000_000),
});

/** @throws Error with one line that says what to set; ChainFileError */
export function readEnvironment(env: NodeJS.ProcessEnv = process.env): LakeEnvironment {
  const set = setVariables(env);
  const running = set.DATABASE_URL ? undefined : readPublishedRun(set.TIDEMARK_DATA ?? ".tidemark");
  const databaseUrl = set.DATABASE_URL ?? running?.databaseUrl;
  if (!databaseUrl) throw new Error("DATABASE_URL is not set and nothing is running: run `npm start` first, or set it");
  requireServerUrl("DATABASE_URL", databaseUrl);
  if (!set.LAKE) throw new Error("LAKE is not set: name the folder of the lake, e.g. LAKE=lake-data npm run lake");
  const chain = loadSingleChain(set.CHAIN, running?.chain);
  const parsed = settings.safeParse(set);
  if (!parsed.success) throw new Error(settingComplaint(parsed.error.issues[0], set));
  const { LAKE_PORT: port, LOG_LEVEL: logLevel, LAKE_LOADED_MINUTES, LAKE_LOADED_ROWS } = parsed.data;
  const keep = { seconds: 60 * LAKE_LOADED_MINUTES, rows: LAKE_LOADED_ROWS };
  return { databaseUrl, chain, lake: resolve(projectRoot, set.LAKE), port, keep, logLevel };
}
