// The part of a chain file that decides what Ponder indexes. Only a change in here means re-indexing.
import type { ChainFile } from "./chain-file.ts";

/** Contracts that are read as one: all from the first block that any of them needs. */
export interface ContractGroup {
  /** Sorted; empty when the chain has none. */
  addresses: readonly `0x${string}`[];
  startBlock: number;
}

export interface Indexing {
  chainId: number;
  startBlock: number;
  /** `all`: every ERC-20 Transfer of the chain. */
  tokens: "all" | readonly `0x${string}`[];
  /** Wrapped natives that show wrapping by Deposit and Withdrawal. */
  weth9: readonly `0x${string}`[];
  v3Factories: ContractGroup;
  v3PositionManagers: ContractGroup;
}

type Source = { address: `0x${string}`; startBlock: number };

/** What `ponder.config.ts` is given, and what the build hash covers, of `chain`. Lists are sorted. */
export function indexingOf(chain: ChainFile): Indexing {
  const group = (sources: readonly Source[]): ContractGroup => ({
    addresses: sources.map((source) => source.address).sort(),
    startBlock: Math.max(
      chain.startBlock,
      sources.length > 0 ? Math.min(...sources.map((source) => source.startBlock)) : 0,
    ),
  });
  const v3 = chain.v3?.deployments ?? [];
  return {
    chainId: chain.chainId,
    startBlock: chain.startBlock,
    tokens: chain.tokens === "all" ? "all" : chain.tokens.map((token) => token.address).sort(),
    weth9: [chain.wrappedNative, ...chain.otherWrapped]
      .filter((wrapped) => wrapped.flavour === "weth9")
      .map((wrapped) => wrapped.address)
      .sort(),
    v3Factories: group(v3.map((deployment) => deployment.factory)),
    v3PositionManagers: group(v3.map((deployment) => deployment.positionManager)),
  };
}
