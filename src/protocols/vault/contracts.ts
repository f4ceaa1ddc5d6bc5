// Where vault facts come from. Spread into ponder.config.ts.
import {
  baultAbi,
  baultDeployed,
  baultFactoryAbi,
  erc4626Abi,
  infraredAbi,
  infraredVaultAbi,
  infraredVaultCreated,
  queuedVaultAbi,
  stakingVaultAbi,
} from "../../../abis/vault.ts";
import type { Indexing } from "../../../chains/indexing.ts";
import { announcedBy, at } from "../../source-address.ts";

export function vaultContracts(indexing: Indexing) {
  const { baultFactories, infraredCores, erc4626Vaults, queuedVaults, stakingVaults } = indexing;
  return {
    BaultFactory: { abi: baultFactoryAbi, chain: "chain", ...at(baultFactories) },
    Bault: {
      abi: baultAbi,
      chain: "chain",
      ...announcedBy(baultFactories, { event: baultDeployed, parameter: "bault" }),
    },
    Infrared: { abi: infraredAbi, chain: "chain", ...at(infraredCores) },
    InfraredVault: {
      abi: infraredVaultAbi,
      chain: "chain",
      ...announcedBy(infraredCores, { event: infraredVaultCreated, parameter: "_vault" }),
    },
    Erc4626Vault: { abi: erc4626Abi, chain: "chain", ...at(erc4626Vaults) },
    QueuedVault: { abi: queuedVaultAbi, chain: "chain", ...at(queuedVaults) },
    StakingVault: { abi: stakingVaultAbi, chain: "chain", ...at(stakingVaults) },
  } as const;
}
