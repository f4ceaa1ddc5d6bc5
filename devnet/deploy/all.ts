// Every contract of the devnet, deployed in one fixed order from `accounts[0]`: same order, same nonces, same addresses.
import type { Address } from "viem";
import type { DevChain } from "../chain.ts";
import { deployAggregator } from "./aggregator.ts";
import { deployContracts } from "./deploy-contracts.ts";
import { deployFarms, type FarmsDeployment } from "./farms.ts";
import { deployInfrared, type InfraredDeployment } from "./infrared.ts";
import { deployIslands, type IslandsDeployment } from "./islands.ts";
import { deployLaunch, type LaunchDeployment } from "./launch.ts";
import { deployRewardVaults, type RewardVaultsDeployment } from "./reward-vaults.ts";
import { deployTokens, type TokensDeployment } from "./tokens.ts";
import { deployV2, type V2Deployment } from "./v2.ts";
import { deployV3, type V3Deployment } from "./v3.ts";
import { deployVaults, type VaultsDeployment } from "./vaults.ts";

/** Addresses of everything `deployAll` put on the chain. Pools, islands, vaults and farms are made later, by their factories. */
export interface Deployment {
  tokens: TokensDeployment;
  v2: V2Deployment;
  /** Both flavours have their own factory, position manager, router and quoter over the same wrapped native (`tokens.wbera`). */
  v3: { uniswap: V3Deployment; kodiak: V3Deployment };
  islands: IslandsDeployment;
  rewardVaults: RewardVaultsDeployment;
  farms: FarmsDeployment;
  vaults: VaultsDeployment;
  infrared: InfraredDeployment;
  launch: LaunchDeployment;
  aggregator: Address;
  /** Trades, mints positions and flashes directly in a v3 pool of either flavour, without periphery, for accounts that approved it. */
  poolCaller: Address;
  /** The contract that transactions of the stand-ins for outside swap services call. */
  swapExecutor: Address;
  /** An ERC-4626 vault over `tokens.ibgt` that holds withdrawals back for a while. */
  queuedVault: Address;
}

/** How long the queued vault holds withdrawals back: some fifty blocks. */
const QUEUE_SECONDS = 100n;

/** Deploys everything from `accounts[0]`, one sealed block per protocol; resolves once all code is on the chain. */
export async function deployAll(chain: DevChain): Promise<Deployment> {
  const tokens = await deployTokens(chain);
  const v2 = await deployV2(chain, { wrappedNative: tokens.wbera });
  const uniswap = await deployV3(chain, { flavour: "uniswap", wrappedNative: tokens.wbera, v2Factory: v2.factory });
  const kodiak = await deployV3(chain, { flavour: "kodiak", wrappedNative: tokens.wbera, v2Factory: v2.factory });
  const islands = await deployIslands(chain, { v3Factories: [uniswap.factory, kodiak.factory] });
  const rewardVaults = await deployRewardVaults(chain);
  const farms = await deployFarms(chain);
  const vaults = await deployVaults(chain, { rewardVaultFactory: rewardVaults.factory, asset: tokens.honey });
  const infrared = await deployInfrared(chain, { rewardVaultFactory: rewardVaults.factory });
  const launch = await deployLaunch(chain, { v2Factory: v2.factory, wrappedNative: tokens.wbera, honey: tokens.honey });
  const { aggregator } = await deployAggregator(chain);
  const { poolCaller, swapExecutor, queuedVault } = await deployContracts(chain, {
    poolCaller: { name: "PoolCaller" },
    swapExecutor: { name: "SwapExecutor" },
    queuedVault: { name: "QueuedVault", args: [tokens.ibgt, "Queued iBGT", "qiBGT", QUEUE_SECONDS] },
  });
  return {
    tokens,
    v2,
    v3: { uniswap, kodiak },
    islands,
    rewardVaults,
    farms,
    vaults,
    infrared,
    launch,
    aggregator,
    poolCaller,
    swapExecutor,
    queuedVault,
  };
}
