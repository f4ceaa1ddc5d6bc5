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
  v2Factories: ContractGroup;
  islandFactories: ContractGroup;
  rewardVaultFactories: ContractGroup;
  distributors: ContractGroup;
  beraChefs: ContractGroup;
  rewardTokens: ContractGroup;
  farmFactories: ContractGroup;
  baultFactories: ContractGroup;
  infraredCores: ContractGroup;
  /** Vaults that no factory announces. */
  erc4626Vaults: ContractGroup;
  queuedVaults: ContractGroup;
  stakingVaults: ContractGroup;
  /** Those of them whose shares are ERC-20. */
  shareVaults: ContractGroup;
  launchFactories: ContractGroup;
}

type Source = { address: `0x${string}`; startBlock: number };

/** What `ponder.config.ts` is given, and what the build hash covers, of `chain`. Lists are sorted. */
export function indexingOf(chain: ChainFile): Indexing {
  const group = (sources: readonly Source[]): ContractGroup => ({
    addresses: sources.map((source) => source.address).sort(),
    startBlock: Math.max(
      chain.startBlock,
      ...(sources.length > 0 ? [Math.min(...sources.map((source) => source.startBlock))] : []),
    ),
  });
  const one = (source: Source | null | undefined) => group(source ? [source] : []);
  const v3 = chain.v3?.deployments ?? [];
  const { rewardVaults } = chain;
  const externalVaults = (...kinds: string[]) =>
    group(chain.externalVaults.filter((vault) => kinds.includes(vault.kind)));
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
    v2Factories: one(chain.v2?.factory),
    islandFactories: one(chain.islands?.factory),
    rewardVaultFactories: one(rewardVaults?.factory),
    distributors: one(rewardVaults?.distributor),
    beraChefs: one(rewardVaults?.beraChef),
    rewardTokens: one(
      rewardVaults?.rewardToken
        ? { address: rewardVaults.rewardToken, startBlock: rewardVaults.factory.startBlock }
        : undefined,
    ),
    farmFactories: one(chain.farms?.factory),
    baultFactories: one(chain.baults?.factory),
    infraredCores: one(chain.infrared?.core),
    erc4626Vaults: externalVaults("erc4626"),
    queuedVaults: externalVaults("erc4626-queued"),
    stakingVaults: externalVaults("staking"),
    shareVaults: externalVaults("erc4626", "erc4626-queued", "beefy"),
    launchFactories: one(chain.launch?.factory),
  };
}
