// Before anything is indexed, the chain file is compared with the node.
import { requireRightChain } from "../../chains/check/check-chain.ts";
import { ChainCheckError, lineOf } from "../../chains/check/findings.ts";
import type { ServedChain } from "../environment.ts";

/**
 * Prints what could not be checked, or may be intended.
 * @throws ChainCheckError with a line for each mistake in the file; NodeUnreachableError
 */
export async function requireRightChainFile(
  { chain, name }: ServedChain,
  rpcUrl: string,
  say: (line: string) => void,
): Promise<void> {
  for (const finding of await requireRightChain(chain, name, rpcUrl)) say(`chain file ${name}: ${lineOf(finding)}`);
}

/**
 * The same for the devnet whose chain lies in `folder`.
 * @throws OtherDevnetError; NodeUnreachableError
 */
export async function requireRightDevnet(
  served: ServedChain,
  { rpcUrl, folder }: { rpcUrl: string; folder: string },
  say: (line: string) => void,
): Promise<void> {
  try {
    await requireRightChainFile(served, rpcUrl, say);
  } catch (error) {
    throw error instanceof ChainCheckError ? new OtherDevnetError(error, folder) : error;
  }
}

/**
 * The chain file contradicts the devnet, which is kept from one start to the next: an older version deployed other contracts than the
 * file of this version lists. The devnet is not replaced automatically, as the older version can still use it.
 */
export class OtherDevnetError extends Error {
  override name = "OtherDevnetError";
  constructor({ message }: ChainCheckError, folder: string) {
    super(
      `${message}\nIf the chain file was not changed by hand, an older version has seeded this devnet: move ${folder} away, and the next start seeds another`,
    );
  }
}
