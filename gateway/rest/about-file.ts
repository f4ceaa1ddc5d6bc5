// What a file of balances says about itself: which token, at which block, of which chain.
import type { ChainFile } from "../../chains/chain-file.ts";
import type { LocatedToken } from "../questions/locate-token.ts";

/** Decimals and hash are empty where they are not known. */
export const aboutFile = (
  { chainId }: Pick<ChainFile, "chainId">,
  { token, point }: LocatedToken,
): Record<string, string> => ({
  chainId: String(chainId),
  token: token.address,
  decimals: String(token.metadata?.decimals ?? ""),
  block: String(point.block),
  blockHash: point.hash ?? "",
});
