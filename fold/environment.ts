// The only place where the fold reads process.env.
import { z } from "zod";
import { ponderSchemaName } from "../chains/build-hash.ts";
import type { ChainFile } from "../chains/chain-file.ts";
import { loadSingleChain } from "../chains/load.ts";
import { nodeUrlProblem, nodeVariable } from "../chains/node-url.ts";
import { LOG_LEVEL_PROBLEM, LOG_LEVELS } from "../core/log-levels.ts";
import { settingComplaint, setVariables } from "../core/set-variables.ts";
import { isServerUrl, SERVER_URL_PROBLEM } from "../database/server-url.ts";

/** Ten years. */
const MOST_MINUTES = 5_256_000;
const KEEP = `must be a number of minutes up to ${MOST_MINUTES}, or \`always\``;

const schema = z.object({
  CHAIN: z.string().min(1).default("devnet"),
  DATABASE_URL: z.string().refine(isServerUrl, SERVER_URL_PROBLEM),
  RPC_URL: z.string().optional(),
  PONDER_SCHEMA: z.string().min(1).optional(),
  LOG_LEVEL: z.enum(LOG_LEVELS, LOG_LEVEL_PROBLEM).default("info"),
  KEEP_OLD_INDEX_MINUTES: z
    .union([z.literal("always"), z.coerce.number(KEEP).min(0, KEEP).max(MOST_MINUTES, KEEP)], KEEP)
    .default(10),
});

export const settingNames: readonly string[] = Object.keys(schema.shape);

export interface FoldEnvironment {
  chain: ChainFile;
  databaseUrl: string;
  rpcUrl: string;
  ponderSchema: string;
  logLevel: string;
  /** How long facts and folds that gateways no longer read are kept; undefined: for ever. */
  keepOldSeconds: number | undefined;
}

/** Empty variables count as unset. @throws Error with one line naming the variable */
export function readEnvironment(env: NodeJS.ProcessEnv = process.env): FoldEnvironment {
  const set = setVariables(env);
  const parsed = schema.safeParse(set);
  if (!parsed.success) throw new Error(settingComplaint(parsed.error.issues[0], set));
  const { CHAIN, DATABASE_URL, PONDER_SCHEMA, LOG_LEVEL, KEEP_OLD_INDEX_MINUTES } = parsed.data;
  const chain = loadSingleChain(CHAIN, undefined);
  return {
    chain,
    databaseUrl: DATABASE_URL,
    rpcUrl: nodeUrlOf(chain, set),
    ponderSchema: PONDER_SCHEMA ?? ponderSchemaName(chain),
    logLevel: LOG_LEVEL,
    keepOldSeconds: KEEP_OLD_INDEX_MINUTES === "always" ? undefined : KEEP_OLD_INDEX_MINUTES * 60,
  };
}

/** @throws Error with one line naming the variable */
function nodeUrlOf(chain: ChainFile, set: Readonly<Record<string, string>>): string {
  const name = nodeVariable(set, chain);
  const url = set[name] ?? "";
  const message = nodeUrlProblem(url);
  if (message !== undefined) throw new Error(settingComplaint({ path: [name], message }, set));
  return url;
}
