// Before anything is indexed: the chain file is held against the node.
import { requireRightChain } from "../../chains/check/check-chain.ts";
import { lineOf } from "../../chains/check/findings.ts";
import type { ServedChain } from "./environment.ts";

/**
 * Says what could not be checked, or may be meant so.
 * @throws ChainCheckError with a line for each mistake in the file; NodeUnreachableError
 */
export async function requireRightChainFile(
  { chain, name }: ServedChain,
  rpcUrl: string,
  say: (line: string) => void,
): Promise<void> {
  for (const finding of await requireRightChain(chain, name, rpcUrl)) say(`chain file ${name}: ${lineOf(finding)}`);
}
