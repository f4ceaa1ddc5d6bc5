// Islands: managed liquidity over one v3 position each, cloned by a factory.
import type { Address } from "viem";
import type { DevChain } from "../chain.ts";
import { deployContract, deployContracts } from "./deploy-contracts.ts";

export interface IslandsDeployment {
  /** `deployVault(tokenA, tokenB, fee, manager, treasury, feeBps, lower, upper)` uses the first v3 factory; `deployVaultForPool` takes any pool. */
  factory: Address;
  implementation: Address;
}

/** The factory's treasury and owner are `accounts[0]`; `islandFee` starts at 500 bps. */
export async function deployIslands(
  chain: DevChain,
  over: { v3Factories: readonly Address[] },
): Promise<IslandsDeployment> {
  const implementation = await deployContract(chain, { name: "Island" });
  const { factory } = await deployContracts(chain, {
    factory: { name: "IslandFactory", args: [implementation, over.v3Factories, chain.accounts[0]] },
  });
  return { factory, implementation };
}
