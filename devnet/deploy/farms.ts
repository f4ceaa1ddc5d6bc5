// Farms: locked staking with several reward tokens, cloned by a factory.
import type { Address } from "viem";
import type { DevChain } from "../chain.ts";
import { callContract } from "./call-contract.ts";
import { deployContract, deployContracts } from "./deploy-contracts.ts";

export interface FarmsDeployment {
  /** `deployFarm(implementation, owner, stakingToken, rewardTokens, rewardRates)`, rates in tokens per second. */
  factory: Address;
  implementation: Address;
}

export async function deployFarms(chain: DevChain): Promise<FarmsDeployment> {
  const implementation = await deployContract(chain, { name: "Farm" });
  const { factory } = await deployContracts(chain, { factory: { name: "FarmFactory", args: [chain.accounts[0]] } });
  const args = [implementation, true];
  await callContract(chain, { name: "FarmFactory", to: factory, call: "setAllowedImplementation", args });
  await chain.seal();
  return { factory, implementation };
}
