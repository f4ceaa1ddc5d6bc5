// Which variable holds the URL of a chain's node, for all processes that read one chain, and what such a URL must be.
import type { ChainFile } from "./chain-file.ts";

/** `RPC_URL_<chain id>` where it is set, else `RPC_URL`. */
export function nodeVariable(
  env: Readonly<Record<string, string | undefined>>,
  { chainId }: Pick<ChainFile, "chainId">,
): string {
  const own = `RPC_URL_${chainId}`;
  return env[own] ? own : "RPC_URL";
}

/** What is wrong with the URL of a node; undefined: nothing. */
export function nodeUrlProblem(text: string): string | undefined {
  const url = /^https?:\/\//.test(text) ? URL.parse(text) : null;
  if (url === null) return "must be an http:// or https:// URL";
  if (url.username !== "" || url.password !== "")
    return "must not hold a user or password, which Ponder cannot send: take an address with a key in its path";
  return undefined;
}
