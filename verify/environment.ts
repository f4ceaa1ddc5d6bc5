// The only place where verify reads process.env: what is unset comes from the running `npm start`.
import type { ChainFile } from "../chains/chain-file.ts";
import { loadSingleChain } from "../chains/load.ts";
import { nodeUrlProblem, nodeVariable } from "../chains/node-url.ts";
import { setVariables } from "../core/set-variables.ts";
import { requireServerUrl } from "../database/server-url.ts";
import { readPublishedRun } from "../machine/published-run.ts";

export interface VerifyEnvironment {
  databaseUrl: string;
  rpcUrl: string;
  gatewayUrl: string;
  chain: ChainFile;
}

/** @throws Error with one line that says what to set; ChainFileError */
export function readEnvironment(env: NodeJS.ProcessEnv = process.env): VerifyEnvironment {
  const set = setVariables(env);
  const running = readPublishedRun(set.TIDEMARK_DATA ?? ".tidemark");
  const databaseUrl = set.DATABASE_URL ?? running?.databaseUrl;
  if (!databaseUrl) throw new Error(missing("DATABASE_URL", "nothing is running"));
  requireServerUrl("DATABASE_URL", databaseUrl);
  // A run on another database is another product.
  const beside = running?.databaseUrl === databaseUrl ? running : undefined;
  const gatewayUrl = set.GATEWAY_URL ?? beside?.gatewayUrl ?? "http://127.0.0.1:4000";
  const chain = loadSingleChain(set.CHAIN, beside?.chain);
  const variable = nodeVariable(set, chain);
  const rpcUrl = set[variable] ?? running?.rpcUrls[chain.chainId];
  if (!rpcUrl)
    throw new Error(
      missing("RPC_URL", running ? `what is running names no node of chain ${chain.chainId}` : "nothing is running"),
    );
  const problem = nodeUrlProblem(rpcUrl);
  if (problem !== undefined) throw new Error(`${variable}: ${problem}. See .env.example.`);
  return { databaseUrl, rpcUrl, gatewayUrl, chain };
}

const missing = (variable: string, reason: string): string =>
  `${variable} is not set and ${reason}: run \`npm start\` first, or set it`;
