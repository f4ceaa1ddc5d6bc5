// Where reward vault facts come from. Spread into ponder.config.ts.
import {
  beraChefAbi,
  distributorAbi,
  rewardTokenAbi,
  rewardVaultAbi,
  rewardVaultCreated,
  rewardVaultFactoryAbi,
} from "../../../abis/reward-vault.ts";
import type { Indexing } from "../../../chains/indexing.ts";
import { announcedBy, at } from "../../source-address.ts";

export function rewardVaultContracts({ rewardVaultFactories, distributors, beraChefs, rewardTokens }: Indexing) {
  return {
    RewardVaultFactory: { abi: rewardVaultFactoryAbi, chain: "chain", ...at(rewardVaultFactories) },
    RewardVault: {
      abi: rewardVaultAbi,
      chain: "chain",
      ...announcedBy(rewardVaultFactories, { event: rewardVaultCreated, parameter: "vault" }),
    },
    Distributor: { abi: distributorAbi, chain: "chain", ...at(distributors) },
    BeraChef: { abi: beraChefAbi, chain: "chain", ...at(beraChefs) },
    RewardToken: { abi: rewardTokenAbi, chain: "chain", ...at(rewardTokens) },
  } as const;
}
