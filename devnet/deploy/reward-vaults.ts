// Proof-of-liquidity reward vaults: reward token, distributor, chef and the vault factory.
import type { Address } from "viem";
import type { DevChain } from "../chain.ts";
import { callContract } from "./call-contract.ts";
import { deployContract, deployContracts } from "./deploy-contracts.ts";

export interface RewardVaultsDeployment {
  /** `createRewardVault(stakingToken)`, anyone. */
  factory: Address;
  implementation: Address;
  /** `distributeFor(valPubkey, nextTimestamp, receiver, amount)`, owner `accounts[0]`. */
  distributor: Address;
  /** `setVaultWhitelistedStatus(receiver, isWhitelisted, metadata)`, owner `accounts[0]`. */
  beraChef: Address;
  /** Not freely transferable; `redeem(receiver, amount)` pays the native coin 1:1. */
  rewardToken: Address;
}

/** Deploys the four in one block and lets the distributor mint rewards in the next. */
export async function deployRewardVaults(chain: DevChain): Promise<RewardVaultsDeployment> {
  const owner = chain.accounts[0];
  const rewardToken = await deployContract(chain, { name: "RewardToken", args: [owner] });
  const beraChef = await deployContract(chain, { name: "BeraChef", args: [owner] });
  const distributor = await deployContract(chain, { name: "Distributor", args: [rewardToken, owner] });
  const implementation = await deployContract(chain, { name: "RewardVault" });
  const { factory } = await deployContracts(chain, {
    factory: { name: "RewardVaultFactory", args: [implementation, distributor, rewardToken, owner] },
  });
  await callContract(chain, { name: "RewardToken", to: rewardToken, call: "setMinter", args: [distributor, true] });
  await callContract(chain, { name: "RewardToken", to: rewardToken, call: "setSender", args: [distributor, true] });
  await chain.seal();
  return { factory, implementation, distributor, beraChef, rewardToken };
}
