// The only place where the lake's writer reads process.env: what is unset comes from the running `npm start`.
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { ChainFile } from "../chains/chain-file.ts";
import { loadChain } from "../chains/load.ts";

const projectRoot = fileURLToPath(new URL("..", import.meta.url));

/** Written by the launcher while it runs. */
const runFile = z.object({ databaseUrl: z.string(), chain: z.string() });

export interface LakeEnvironment {
  databaseUrl: string;
  chain: ChainFile;
  /** Absolute. */
  lake: string;
  logLevel: string;
}

/** @throws Error with one line that says what to set; ChainFileError */
export function readEnvironment(env: NodeJS.ProcessEnv = process.env): LakeEnvironment {
  const running = env.DATABASE_URL ? undefined : readRunFile(env.TIDEMARK_DATA || ".tidemark");
  const databaseUrl = env.DATABASE_URL || running?.databaseUrl;
  if (!databaseUrl) throw new Error("DATABASE_URL is not set and nothing is running: run `npm start` first, or set it");
  if (!env.LAKE) throw new Error("LAKE is not set: name the folder of the lake, e.g. LAKE=lake-data npm run lake");
  const chain = loadChain(env.CHAIN || running?.chain || "devnet");
  return { databaseUrl, chain, lake: resolve(projectRoot, env.LAKE), logLevel: env.LOG_LEVEL || "info" };
}

function readRunFile(dataFolder: string) {
  const path = join(dataFolder, "run.json");
  if (!existsSync(path)) return undefined;
  const checked = runFile.safeParse(JSON.parse(readFileSync(path, "utf8")));
  return checked.success ? checked.data : undefined;
}
