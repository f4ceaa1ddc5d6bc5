// What the fact tables must hold, taken from the chain's logs alone: every log, by table and kind.
import { type AbiEvent, type Address, decodeEventLog, type Hex, parseAbiItem, toEventHash } from "viem";
import type { ChainFile } from "../../chains/chain-file.ts";

export interface ChainLog {
  address: Address;
  topics: [Hex, ...Hex[]];
  data: Hex;
  blockNumber: Hex;
  logIndex: Hex;
}

/** Who emits: fixed addresses of the chain file, or what they announced by an event. */
interface Emitters {
  of: (chain: ChainFile) => readonly Address[];
  announcement?: [event: string, parameter: string];
}

const v3 = (chain: ChainFile) => chain.v3?.deployments ?? [];
const only = (source: { address: Address } | null | undefined): Address[] => (source ? [source.address] : []);
const listed = (chain: ChainFile, kind: string) =>
  chain.externalVaults.filter((vault) => vault.kind === kind).map((vault) => vault.address);

const emitters = {
  weth9: {
    of: (chain) =>
      [chain.wrappedNative, ...chain.otherWrapped].filter((t) => t.flavour === "weth9").map((t) => t.address),
  },
  v3Factory: { of: (chain) => v3(chain).map((deployment) => deployment.factory.address) },
  v3Manager: { of: (chain) => v3(chain).map((deployment) => deployment.positionManager.address) },
  v3Pool: {
    of: (chain) => v3(chain).map((deployment) => deployment.factory.address),
    announcement: [
      "PoolCreated(address indexed token0, address indexed token1, uint24 indexed fee, int24 tickSpacing, address pool)",
      "pool",
    ],
  },
  v2Factory: { of: (chain) => only(chain.v2?.factory) },
  v2Pair: {
    of: (chain) => only(chain.v2?.factory),
    announcement: ["PairCreated(address indexed token0, address indexed token1, address pair, uint256 n)", "pair"],
  },
  islandFactory: { of: (chain) => only(chain.islands?.factory) },
  island: {
    of: (chain) => only(chain.islands?.factory),
    announcement: [
      "IslandCreated(address indexed uniPool, address indexed manager, address indexed island, address implementation)",
      "island",
    ],
  },
  rewardVaultFactory: { of: (chain) => only(chain.rewardVaults?.factory) },
  rewardVault: {
    of: (chain) => only(chain.rewardVaults?.factory),
    announcement: ["VaultCreated(address indexed stakingToken, address indexed vault)", "vault"],
  },
  distributor: { of: (chain) => only(chain.rewardVaults?.distributor) },
  beraChef: { of: (chain) => only(chain.rewardVaults?.beraChef) },
  rewardToken: { of: (chain) => (chain.rewardVaults?.rewardToken ? [chain.rewardVaults.rewardToken] : []) },
  farmFactory: { of: (chain) => only(chain.farms?.factory) },
  farm: {
    of: (chain) => only(chain.farms?.factory),
    announcement: ["FarmDeployed(address indexed farm, address indexed implementation)", "farm"],
  },
  baultFactory: { of: (chain) => only(chain.baults?.factory) },
  bault: {
    of: (chain) => only(chain.baults?.factory),
    announcement: [
      "BaultDeployed(address indexed bault, address implementation, address indexed stakingToken)",
      "bault",
    ],
  },
  erc4626: { of: (chain) => listed(chain, "erc4626") },
  queuedVault: { of: (chain) => listed(chain, "erc4626-queued") },
  infrared: { of: (chain) => only(chain.infrared?.core) },
  infraredVault: {
    of: (chain) => only(chain.infrared?.core),
    announcement: ["NewVault(address _sender, address indexed _asset, address indexed _vault)", "_vault"],
  },
  launchFactory: { of: (chain) => only(chain.launch?.factory) },
  launchPool: {
    of: (chain) => only(chain.launch?.factory),
    announcement: ["PandaDeployed(address indexed pandaPool, address indexed implementation)", "pandaPool"],
  },
} as const satisfies Record<string, Emitters>;

type Emitter = keyof typeof emitters;

/** One event: the table and kind it becomes, who logs it, its signature, and how many topics its logs have. */
export interface Rule {
  table: string;
  kind?: string;
  /** Absent: anyone. */
  emitter?: Emitter;
  signature: string;
  topics?: number;
}

const swapV2 = "Swap(address,uint256,uint256,uint256,uint256,address)";
const [add, remove] = ["Staked(address,uint256)", "Withdrawn(address,uint256)"];
const [deposit, withdraw] = [
  "Deposit(address,address,uint256,uint256)",
  "Withdraw(address,address,address,uint256,uint256)",
];
const queued = "(address,address,address,uint256,uint256)";
const processed = "(bytes,address,uint256,uint256)";

/** Table, kind (null: the table has none), emitter, signature. */
const ruled: readonly [string, string | null, Emitter, string][] = [
  ["weth9_deposit", null, "weth9", "Deposit(address,uint256)"],
  ["weth9_withdrawal", null, "weth9", "Withdrawal(address,uint256)"],
  ["v3_pool_created", null, "v3Factory", "PoolCreated(address,address,uint24,int24,address)"],
  ["v3_fee_amount_enabled", null, "v3Factory", "FeeAmountEnabled(uint24,int24)"],
  ["v3_initialize", null, "v3Pool", "Initialize(uint160,int24)"],
  ["v3_swap", null, "v3Pool", "Swap(address,address,int256,int256,uint160,uint128,int24)"],
  ["v3_liquidity", "mint", "v3Pool", "Mint(address,address,int24,int24,uint128,uint256,uint256)"],
  ["v3_liquidity", "burn", "v3Pool", "Burn(address,int24,int24,uint128,uint256,uint256)"],
  ["v3_liquidity", "collect", "v3Pool", "Collect(address,address,int24,int24,uint128,uint128)"],
  ["v3_flash", null, "v3Pool", "Flash(address,address,uint256,uint256,uint256,uint256)"],
  ["v3_protocol_fee", "set", "v3Pool", "SetFeeProtocol(uint8,uint8,uint8,uint8)"],
  ["v3_protocol_fee", "set", "v3Pool", "SetFeeProtocol(uint32,uint32,uint32,uint32)"],
  ["v3_protocol_fee", "collect", "v3Pool", "CollectProtocol(address,address,uint128,uint128)"],
  ["v3_protocol_fee", "earned", "v3Pool", "ProtocolFeesEarned(uint128,uint128)"],
  ["v3_nft", "increase", "v3Manager", "IncreaseLiquidity(uint256,uint128,uint256,uint256)"],
  ["v3_nft", "decrease", "v3Manager", "DecreaseLiquidity(uint256,uint128,uint256,uint256)"],
  ["v3_nft", "collect", "v3Manager", "Collect(uint256,address,uint256,uint256)"],
  ["v2_pair_created", null, "v2Factory", "PairCreated(address,address,address,uint256)"],
  ["v2_swap", null, "v2Pair", swapV2],
  ["v2_liquidity", "mint", "v2Pair", "Mint(address,uint256,uint256)"],
  ["v2_liquidity", "burn", "v2Pair", "Burn(address,uint256,uint256,address)"],
  ["v2_sync", null, "v2Pair", "Sync(uint112,uint112)"],
  ["island_created", null, "islandFactory", "IslandCreated(address,address,address,address)"],
  ["island_flow", "mint", "island", "Minted(address,uint256,uint256,uint256,uint128)"],
  ["island_flow", "burn", "island", "Burned(address,uint256,uint256,uint256,uint128)"],
  ["island_flow", "fees", "island", "FeesEarned(uint256,uint256)"],
  ["island_rebalance", null, "island", "Rebalance(address,int24,int24,uint128,uint128)"],
  ["island_manager", "params", "island", "UpdateManagerParams(uint16,address,uint16,uint32)"],
  ["island_manager", "owner", "island", "OwnershipTransferred(address,address)"],
  ["vault_created", "reward-vault", "rewardVaultFactory", "VaultCreated(address,address)"],
  ["vault_created", "farm", "farmFactory", "FarmDeployed(address,address)"],
  ["vault_created", "bault", "baultFactory", "BaultDeployed(address,address,address)"],
  ["vault_created", "infrared", "infrared", "NewVault(address,address,address)"],
  ["vault_flow", "deposit", "bault", deposit],
  ["vault_flow", "deposit", "erc4626", deposit],
  ["vault_flow", "deposit", "queuedVault", deposit],
  ["vault_flow", "withdraw", "bault", withdraw],
  ["vault_flow", "withdraw", "erc4626", withdraw],
  ["vault_flow", "exit_fee", "bault", "ExitFeePaid(uint256,uint256)"],
  ["vault_flow", "compound", "bault", "BgtClaimed(address,address,uint256,uint256,uint256)"],
  ["vault_flow", "withdrawal_requested", "queuedVault", `WithdrawalRequested${queued}`],
  ["vault_flow", "withdrawal_completed", "queuedVault", `WithdrawalCompleted${queued}`],
  ["vault_flow", "withdrawal_cancelled", "queuedVault", "WithdrawalCancelled(address,address,uint256,uint256,uint256)"],
  ["stake", "stake", "rewardVault", add],
  ["stake", "stake", "infraredVault", add],
  ["stake", "stake", "farm", "StakeLocked(address,uint256,uint256,bytes32)"],
  ["stake", "withdraw", "rewardVault", remove],
  ["stake", "withdraw", "infraredVault", remove],
  ["stake", "withdraw", "farm", "WithdrawLocked(address,uint256,bytes32)"],
  ["stake", "delegate_stake", "rewardVault", "DelegateStaked(address,address,uint256)"],
  ["stake", "delegate_withdraw", "rewardVault", "DelegateWithdrawn(address,address,uint256)"],
  ["reward", "distributed", "distributor", "Distributed(bytes,uint64,address,uint256)"],
  ["reward", "added", "rewardVault", "RewardAdded(uint256)"],
  ["reward", "added", "infraredVault", "RewardAdded(address,uint256)"],
  ["reward", "paid", "rewardVault", "RewardPaid(address,address,uint256)"],
  ["reward", "paid", "infraredVault", "RewardPaid(address,address,uint256)"],
  ["reward", "paid", "farm", "RewardPaid(address,uint256,address)"],
  ["reward", "redeemed", "rewardToken", "Redeem(address,address,uint256)"],
  ["reward", "rate", "farm", "RewardRateUpdated(address,uint256)"],
  ["reward", "token_added", "farm", "RewardTokenAdded(address)"],
  ["reward", "renewed", "farm", "RewardsPeriodRenewed(address)"],
  ["incentive", "whitelisted", "rewardVault", "IncentiveTokenWhitelisted(address,uint256,address)"],
  ["incentive", "removed", "rewardVault", "IncentiveTokenRemoved(address)"],
  ["incentive", "added", "rewardVault", "IncentiveAdded(address,address,uint256,uint256)"],
  ["incentive", "processed", "rewardVault", `IncentivesProcessed${processed}`],
  ["incentive", "process_failed", "rewardVault", `IncentivesProcessFailed${processed}`],
  ["incentive", "booster_processed", "rewardVault", `BGTBoosterIncentivesProcessed${processed}`],
  ["launch_pool", "deployed", "launchFactory", "PandaDeployed(address,address)"],
  [
    "launch_pool",
    "initialized",
    "launchPool",
    "PoolInitialized(address,address,uint256,uint256,uint256,address,bytes)",
  ],
  ["launch_pool", "graduated", "launchPool", "LiquidityMoved(uint256,uint256)"],
  ["launch_swap", null, "launchPool", swapV2],
  ["launch_sync", null, "launchPool", "Sync(uint256,uint256,uint256)"],
];

/** Events of which the whole log is stored: emitter, signatures. */
const others: readonly [Emitter, string[]][] = [
  ["v3Factory", ["OwnerChanged(address,address)"]],
  ["v3Pool", ["IncreaseObservationCardinalityNext(uint16,uint16)"]],
  ["islandFactory", ["UpdateIslandImplementation(address)", "TreasurySet(address)", "IslandFeeSet(uint16)"]],
  [
    "island",
    [
      "PauserSet(address,bool)",
      "RestrictedMintSet(bool)",
      "RouterSet(address,bool)",
      "Paused(address)",
      "Unpaused(address)",
    ],
  ],
  [
    "rewardVault",
    [
      "RewardsDurationUpdated(uint256)",
      "TargetRewardsPerSecondUpdated(uint256,uint256)",
      "MinRewardDurationForTargetRateUpdated(uint256,uint256)",
      "DistributorSet(address)",
      "OperatorSet(address,address)",
      "Recovered(address,uint256)",
    ],
  ],
  ["beraChef", ["VaultWhitelistedStatusUpdated(address,bool,string)"]],
  ["farmFactory", ["AllowedImplementationSet(address,bool)"]],
  [
    "farm",
    [
      "FarmStarted()",
      "RewardsDurationUpdated(uint256)",
      "RewardManagerSet(address,address)",
      "LockedStakeMaxMultiplierUpdated(uint256)",
      "LockedStakeTimeForMaxMultiplier(uint256)",
      "LockedStakeMinTime(uint256)",
      "StakingTokenCapUpdated(uint256)",
      "StakingPausedSet(bool)",
      "RewardsCollectionPausedSet(bool)",
      "StakesUnlockedSet(bool)",
      "GreylistSet(address,bool)",
    ],
  ],
  [
    "bault",
    [
      "ExitFeeBpsUpdated(uint256)",
      "BountyUpdated(uint256)",
      "CompoundFeeBpsUpdated(uint256)",
      "Paused(address)",
      "Unpaused(address)",
    ],
  ],
  ["infraredVault", ["RewardStored(address,uint256)", "RewardsDurationUpdated(address,uint256)"]],
  [
    "launchFactory",
    [
      "FactorySet(address,bytes32)",
      "WberaSet(address)",
      "TreasurySet(address)",
      "PandaPoolFeesSet(uint16,uint16,uint16,uint16)",
      "MinRaiseSet(address,uint256)",
      "MinTradeSizeSet(address,uint256)",
      "AllowedImplementationSet(address,bool)",
    ],
  ],
];

const transfer = "Transfer(address,address,uint256)";

/** Everything the fact tables hold but blocks. The topic of `Transfer` is ERC-20's with 3 topics and ERC-721's with 4. */
export const rules: readonly Rule[] = [
  { table: "erc20_transfer", signature: transfer, topics: 3 },
  { table: "v3_nft", kind: "transfer", emitter: "v3Manager", signature: transfer, topics: 4 },
  ...ruled.map(([table, kind, emitter, signature]) => ({ table, ...(kind ? { kind } : {}), emitter, signature })),
  ...others.flatMap(([emitter, signatures]) =>
    signatures.map((signature) => ({ table: "other_event", emitter, signature })),
  ),
];

/** Addresses of an emitter, from the whole chain's `logs`. */
export function addressesOf(name: Emitter, chain: ChainFile, logs: readonly ChainLog[]): Set<string> {
  const emitter: Emitters = emitters[name];
  const fixed = new Set<string>(emitter.of(chain));
  if (emitter.announcement === undefined) return fixed;
  const [signature, parameter] = emitter.announcement;
  const event = parseAbiItem(`event ${signature}`) as AbiEvent;
  const topic = toEventHash(event);
  const announced = logs
    .filter((log) => fixed.has(log.address) && log.topics[0] === topic)
    .map(
      ({ topics, data }) => decodeEventLog({ abi: [event], topics, data }).args as unknown as Record<string, string>,
    );
  return new Set(announced.map((args) => String(args[parameter]).toLowerCase()));
}

/** `block/log index` of every log of `rule`. */
export function logsOf({ emitter, signature, topics }: Rule, chain: ChainFile, logs: readonly ChainLog[]): string[] {
  const from = emitter && addressesOf(emitter, chain, logs);
  const topic = toEventHash(signature);
  return logs
    .filter((log) => log.topics[0] === topic && (from?.has(log.address) ?? true))
    .filter((log) => topics === undefined || (log.topics.length === topics && (topics !== 3 || log.data.length === 66)))
    .map((log) => `${Number(log.blockNumber)}/${Number(log.logIndex)}`);
}
