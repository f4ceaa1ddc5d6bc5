// The only place where verify reads process.env: what is unset comes from the running `npm start`.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { ChainFile } from "../chains/chain-file.ts";
import { loadChains } from "../chains/load.ts";

/** Written by the launcher while it runs. */
const runFile = z.object({
  databaseUrl: z.string(),
  rpcUrl: z.string(),
  chain: z.string(),
  gatewayUrl: z.string().optional(),
});

export interface VerifyEnvironment {
  databaseUrl: string;
  rpcUrl: string;
  gatewayUrl: string;
  chain: ChainFile;
}

/** @throws Error with one line that says what to set; ChainFileError */
export function readEnvironment(env: NodeJS.ProcessEnv = process.env): VerifyEnvironment {
  const running = env.DATABASE_URL && env.RPC_URL ? undefined : readRunFile(env.TIDEMARK_DATA || ".tidemark");
  const databaseUrl = env.DATABASE_URL || running?.databaseUrl;
  const rpcUrl = env.RPC_URL || running?.rpcUrl;
  if (!databaseUrl || !rpcUrl)
    throw new Error(
      `${databaseUrl ? "RPC_URL" : "DATABASE_URL"} is not set and nothing is running: run \`npm start\` first, or set it`,
    );
  const gatewayUrl = env.GATEWAY_URL || running?.gatewayUrl || "http://127.0.0.1:4000";
  return { databaseUrl, rpcUrl, gatewayUrl, chain: loadChains(env.CHAIN || running?.chain || "devnet")[0] };
}

function readRunFile(dataFolder: string) {
  const path = join(dataFolder, "run.json");
  if (!existsSync(path)) return undefined;
  const checked = runFile.safeParse(JSON.parse(readFileSync(path, "utf8")));
  return checked.success ? checked.data : undefined;
}
