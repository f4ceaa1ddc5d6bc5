// What vaults over shares log: ERC-4626 (EIP-4626) and baults, which are of that kind, and the 1:1 staking vaults of
// Infrared (IInfrared, IMultiRewards).
import { parseAbi, parseAbiItem } from "viem";

export const baultDeployed = parseAbiItem(
  "event BaultDeployed(address indexed bault, address implementation, address indexed stakingToken)",
);

export const baultFactoryAbi = [baultDeployed] as const;

export const erc4626Abi = parseAbi([
  "event Deposit(address indexed by, address indexed owner, uint256 assets, uint256 shares)",
  "event Withdraw(address indexed by, address indexed to, address indexed owner, uint256 assets, uint256 shares)",
]);

/** Those whose withdrawals wait. Berachain, IWBERAStakerVault.sol */
export const queuedVaultAbi = [
  ...erc4626Abi,
  ...parseAbi([
    "event WithdrawalRequested(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)",
    "event WithdrawalCancelled(address indexed sender, address indexed owner, uint256 assets, uint256 shares, uint256 newSharesMinted)",
    "event WithdrawalCompleted(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)",
  ]),
] as const;

export const baultAbi = [
  ...erc4626Abi,
  ...parseAbi([
    "event BgtClaimed(address indexed bountySender, address indexed bgtRecipient, uint256 indexed compoundAmount, uint256 compoundFee, uint256 tokenToRecipient)",
    "event BgtWrapperClaimed(address indexed bountySender, address indexed bgtRecipient, uint256 indexed compoundAmount, uint256 compoundFee, uint256 tokenToRecipient, address bgtWrapper)",
    "event ExitFeePaid(uint256 assets, uint256 fee)",
    "event ExitFeeBpsUpdated(uint256 exitFeeBps)",
    "event BountyUpdated(uint256 bounty)",
    "event CompoundFeeBpsUpdated(uint256 compoundFeeBps)",
    "event AllowedBgtWrapperUpdated(address bgtWrapper)",
    "event Paused(address account)",
    "event Unpaused(address account)",
  ]),
] as const;

export const infraredVaultCreated = parseAbiItem(
  "event NewVault(address _sender, address indexed _asset, address indexed _vault)",
);

export const infraredAbi = [infraredVaultCreated] as const;

/** Vaults that hold what is staked one for one. */
export const stakingVaultAbi = parseAbi([
  "event Staked(address indexed user, uint256 amount)",
  "event Withdrawn(address indexed user, uint256 amount)",
]);

export const infraredVaultAbi = [
  ...stakingVaultAbi,
  ...parseAbi([
    "event RewardAdded(address indexed rewardsToken, uint256 reward)",
    "event RewardPaid(address indexed user, address indexed rewardsToken, uint256 reward)",
    "event RewardStored(address rewardsToken, uint256 rewardsDuration)",
    "event RewardsDurationUpdated(address token, uint256 newDuration)",
  ]),
] as const;
