// Which variable holds the URL of a chain's node, for all processes that read one chain.
import type { ChainFile } from "./chain-file.ts";

/** `RPC_URL_<chain id>` where it is set, else `RPC_URL`. */
export function nodeVariable(
  env: Readonly<Record<string, string | undefined>>,
  { chainId }: Pick<ChainFile, "chainId">,
): string {
  const own = `RPC_URL_${chainId}`;
  return env[own] ? own : "RPC_URL";
}
