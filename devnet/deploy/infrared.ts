// Infrared-like 1:1 staking vaults that in turn stake in the reward vault.
import type { Address } from "viem";
import type { DevChain } from "../chain.ts";
import { deployContracts } from "./deploy-contracts.ts";

export interface InfraredDeployment {
  /** `registerVault(asset)` makes the vault, and the asset's reward vault where there is none. */
  core: Address;
}

export function deployInfrared(chain: DevChain, over: { rewardVaultFactory: Address }): Promise<InfraredDeployment> {
  return deployContracts(chain, {
    core: { name: "InfraredCore", args: [over.rewardVaultFactory, chain.accounts[0]] },
  });
}
