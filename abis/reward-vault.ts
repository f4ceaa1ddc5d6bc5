// What Berachain's reward vaults and the contracts around them log: IRewardVaultFactory, IStakingRewards, IRewardVault,
// IDistributor, IBeraChef, IBGT.
import { parseAbi, parseAbiItem } from "viem";

export const rewardVaultCreated = parseAbiItem(
  "event VaultCreated(address indexed stakingToken, address indexed vault)",
);

export const rewardVaultFactoryAbi = [rewardVaultCreated] as const;

export const rewardVaultAbi = parseAbi([
  "event Staked(address indexed account, uint256 amount)",
  "event Withdrawn(address indexed account, uint256 amount)",
  "event DelegateStaked(address indexed account, address indexed delegate, uint256 amount)",
  "event DelegateWithdrawn(address indexed account, address indexed delegate, uint256 amount)",
  "event RewardAdded(uint256 reward)",
  "event RewardPaid(address indexed account, address to, uint256 reward)",
  "event IncentiveTokenWhitelisted(address indexed token, uint256 minIncentiveRate, address manager)",
  "event IncentiveTokenRemoved(address indexed token)",
  "event IncentiveAdded(address indexed token, address sender, uint256 amount, uint256 incentiveRate)",
  "event IncentivesProcessed(bytes indexed pubkey, address indexed token, uint256 bgtEmitted, uint256 amount)",
  "event IncentivesProcessFailed(bytes indexed pubkey, address indexed token, uint256 bgtEmitted, uint256 amount)",
  "event BGTBoosterIncentivesProcessed(bytes indexed pubkey, address indexed token, uint256 bgtEmitted, uint256 amount)",
  "event BGTBoosterIncentivesProcessFailed(bytes indexed pubkey, address indexed token, uint256 bgtEmitted, uint256 amount)",
  "event IncentiveFeeCollected(address indexed token, uint256 amount)",
  "event IncentiveFeeCollectionFailed(address indexed token, uint256 amount)",
  "event IncentiveManagerChanged(address indexed token, address newManager, address oldManager)",
  "event MaxIncentiveTokensCountUpdated(uint8 maxIncentiveTokensCount)",
  "event RewardsDurationUpdated(uint256 newDuration)",
  "event TargetRewardsPerSecondUpdated(uint256 newTargetRewardsPerSecond, uint256 oldTargetRewardsPerSecond)",
  "event MinRewardDurationForTargetRateUpdated(uint256 newMinRewardDurationForTargetRate, uint256 oldMinRewardDurationForTargetRate)",
  "event RewardVaultManagerSet(address indexed newRewardVaultManager, address indexed oldRewardVaultManager)",
  "event DistributorSet(address indexed distributor)",
  "event OperatorSet(address account, address operator)",
  "event Recovered(address token, uint256 amount)",
  "event Paused(address account)",
  "event Unpaused(address account)",
]);

export const distributorAbi = parseAbi([
  "event Distributed(bytes indexed valPubkey, uint64 indexed nextTimestamp, address indexed receiver, uint256 amount)",
]);

export const beraChefAbi = parseAbi([
  "event VaultWhitelistedStatusUpdated(address indexed receiver, bool indexed isWhitelisted, string metadata)",
]);

export const rewardTokenAbi = parseAbi([
  "event Redeem(address indexed from, address indexed receiver, uint256 amount)",
]);
