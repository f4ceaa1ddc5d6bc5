// What farms of locked stakes and their factory log (KodiakFarm, FarmFactory). Other farms of this line log more arguments.
import { parseAbi, parseAbiItem } from "viem";

export const farmDeployed = parseAbiItem("event FarmDeployed(address indexed farm, address indexed implementation)");

export const farmFactoryAbi = [
  farmDeployed,
  ...parseAbi([
    "event AllowedImplementationSet(address indexed implementation, bool allowed)",
    "event XKdkSet(address indexed xKdk)",
  ]),
] as const;

export const farmAbi = parseAbi([
  "event StakeLocked(address indexed user, uint256 amount, uint256 secs, bytes32 kek_id)",
  "event WithdrawLocked(address indexed user, uint256 amount, bytes32 kek_id)",
  "event RewardPaid(address indexed user, uint256 reward, address indexed token_address)",
  "event RewardRateUpdated(address indexed token, uint256 newRate)",
  "event RewardTokenAdded(address rewardToken)",
  "event RewardsPeriodRenewed(address indexed token)",
  "event FarmStarted()",
  "event RewardsDurationUpdated(uint256 newDuration)",
  "event RewardManagerSet(address indexed token, address manager)",
  "event Recovered(address indexed to, address indexed token, uint256 amount)",
  "event LockedStakeMaxMultiplierUpdated(uint256 multiplier)",
  "event LockedStakeTimeForMaxMultiplier(uint256 secs)",
  "event LockedStakeMinTime(uint256 secs)",
  "event StakingTokenCapUpdated(uint256 cap)",
  "event StakingPausedSet(bool paused)",
  "event RewardsCollectionPausedSet(bool paused)",
  "event StakesUnlockedSet(bool unlocked)",
  "event GreylistSet(address indexed account, bool status)",
]);
