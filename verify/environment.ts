// The only place where verify reads process.env: what is unset comes from the running `npm start`.
import type { ChainFile } from "../chains/chain-file.ts";
import { loadSingleChain } from "../chains/load.ts";
import { requireServerUrl } from "../database/server-url.ts";
import { readPublishedRun } from "../scripts/launcher/published-run.ts";

export interface VerifyEnvironment {
  databaseUrl: string;
  rpcUrl: string;
  gatewayUrl: string;
  chain: ChainFile;
}

/** @throws Error with one line that says what to set; ChainFileError */
export function readEnvironment(env: NodeJS.ProcessEnv = process.env): VerifyEnvironment {
  const running = readPublishedRun(env.TIDEMARK_DATA || ".tidemark");
  const databaseUrl = env.DATABASE_URL || running?.databaseUrl;
  const rpcUrl = env.RPC_URL || running?.rpcUrl;
  if (!databaseUrl || !rpcUrl)
    throw new Error(
      `${databaseUrl ? "RPC_URL" : "DATABASE_URL"} is not set and nothing is running: run \`npm start\` first, or set it`,
    );
  requireServerUrl("DATABASE_URL", databaseUrl);
  if (!/^https?:\/\//.test(rpcUrl) || !URL.canParse(rpcUrl))
    throw new Error("RPC_URL: must be an http(s):// URL. See .env.example.");
  // A run on another database is another product.
  const beside = running?.databaseUrl === databaseUrl ? running : undefined;
  const gatewayUrl = env.GATEWAY_URL || beside?.gatewayUrl || "http://127.0.0.1:4000";
  return { databaseUrl, rpcUrl, gatewayUrl, chain: loadSingleChain(env.CHAIN, beside?.chain) };
}
