// The part of a chain file that decides what Ponder indexes. Only a change in here means re-indexing.
import type { ChainFile } from "./chain-file.ts";

export interface Indexing {
  chainId: number;
  startBlock: number;
  /** `all`: every ERC-20 Transfer of the chain. */
  tokens: "all" | readonly `0x${string}`[];
  /** Wrapped natives that show wrapping by Deposit and Withdrawal. */
  weth9: readonly `0x${string}`[];
}

/** What `ponder.config.ts` is given, and what the build hash covers, of `chain`. Lists are sorted. */
export function indexingOf(chain: ChainFile): Indexing {
  return {
    chainId: chain.chainId,
    startBlock: chain.startBlock,
    tokens: chain.tokens === "all" ? "all" : chain.tokens.map((token) => token.address).sort(),
    weth9: [chain.wrappedNative, ...chain.otherWrapped]
      .filter((wrapped) => wrapped.flavour === "weth9")
      .map((wrapped) => wrapped.address)
      .sort(),
  };
}
