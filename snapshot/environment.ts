// The only place where snapshot reads process.env: what is unset comes from the running `npm start`.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { ChainFile } from "../chains/chain-file.ts";
import { loadChains } from "../chains/load.ts";

/** Written by the launcher while it runs. */
const runFile = z.object({ databaseUrl: z.string(), chain: z.string() });

export interface SnapshotEnvironment {
  databaseUrls: readonly string[];
  chain: ChainFile;
}

/** @throws Error with one line that says what to set; ChainFileError */
export function readEnvironment(env: NodeJS.ProcessEnv = process.env): SnapshotEnvironment {
  const wanted = [env.DATABASE_URL, ...(env.DATABASE_READ_URL ?? "").split(",")]
    .map((url) => url?.trim() ?? "")
    .filter((url) => url !== "");
  const running = wanted.length > 0 ? undefined : readRunFile(env.TIDEMARK_DATA || ".tidemark");
  const databaseUrls = wanted.length > 0 ? wanted : [running?.databaseUrl ?? ""].filter((url) => url !== "");
  if (databaseUrls.length === 0)
    throw new Error("DATABASE_URL is not set and nothing is running: run `npm start` first, or set it");
  return { databaseUrls, chain: loadChains(env.CHAIN || running?.chain || "devnet")[0] };
}

function readRunFile(dataFolder: string) {
  const path = join(dataFolder, "run.json");
  if (!existsSync(path)) return undefined;
  const checked = runFile.safeParse(JSON.parse(readFileSync(path, "utf8")));
  return checked.success ? checked.data : undefined;
}
