// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import "../reward-vaults/RewardVault.sol";

/// 1:1 staking with several reward tokens; the staked tokens go on into the asset's reward vault under this address.
contract InfraredVault {
    event Staked(address indexed user, uint256 amount);
    event Withdrawn(address indexed user, uint256 amount);
    event RewardStored(address rewardsToken, uint256 rewardsDuration);
    event RewardAdded(address indexed rewardsToken, uint256 reward);
    event RewardPaid(address indexed user, address indexed rewardsToken, uint256 reward);
    event RewardsDurationUpdated(address token, uint256 newDuration);

    struct Reward {
        uint256 rewardsDuration;
        uint256 periodFinish;
        uint256 rewardRate;
        uint256 lastUpdateTime;
        uint256 rewardPerTokenStored;
    }

    address public immutable infrared;
    address public immutable stakingToken;
    RewardVault public immutable rewardsVault;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => Reward) public rewardData;
    mapping(address => mapping(address => uint256)) public userRewardPerTokenPaid;
    mapping(address => mapping(address => uint256)) public rewards;
    address[] public rewardTokens;

    modifier onlyCore() {
        require(msg.sender == infrared, "core");
        _;
    }

    modifier accrues(address account) {
        for (uint256 i = 0; i < rewardTokens.length; i++) {
            address token = rewardTokens[i];
            Reward storage reward = rewardData[token];
            reward.rewardPerTokenStored = rewardPerToken(token);
            reward.lastUpdateTime = _applicable(token);
            if (account == address(0)) continue;
            rewards[account][token] = earned(account, token);
            userRewardPerTokenPaid[account][token] = reward.rewardPerTokenStored;
        }
        _;
    }

    constructor(address asset, RewardVault rewardsVault_) {
        infrared = msg.sender;
        stakingToken = asset;
        rewardsVault = rewardsVault_;
        TokenTransfers.allow(asset, address(rewardsVault_), type(uint256).max);
    }

    function stake(uint256 amount) external accrues(msg.sender) {
        require(amount > 0, "stake 0");
        totalSupply += amount;
        balanceOf[msg.sender] += amount;
        TokenTransfers.pull(stakingToken, msg.sender, address(this), amount);
        rewardsVault.stake(amount);
        emit Staked(msg.sender, amount);
    }

    function withdraw(uint256 amount) public accrues(msg.sender) {
        require(amount > 0, "withdraw 0");
        totalSupply -= amount;
        balanceOf[msg.sender] -= amount;
        rewardsVault.withdraw(amount);
        TokenTransfers.send(stakingToken, msg.sender, amount);
        emit Withdrawn(msg.sender, amount);
    }

    function getReward() public accrues(msg.sender) {
        for (uint256 i = 0; i < rewardTokens.length; i++) {
            address token = rewardTokens[i];
            uint256 amount = rewards[msg.sender][token];
            if (amount == 0) continue;
            rewards[msg.sender][token] = 0;
            TokenTransfers.send(token, msg.sender, amount);
            emit RewardPaid(msg.sender, token, amount);
        }
    }

    function exit() external {
        withdraw(balanceOf[msg.sender]);
        getReward();
    }

    function addReward(address token, uint256 duration) external onlyCore {
        require(rewardData[token].rewardsDuration == 0 && duration > 0, "reward");
        rewardTokens.push(token);
        rewardData[token].rewardsDuration = duration;
        emit RewardStored(token, duration);
    }

    function notifyRewardAmount(address token, uint256 amount) external onlyCore accrues(address(0)) {
        Reward storage reward = rewardData[token];
        require(reward.rewardsDuration > 0, "reward");
        TokenTransfers.pull(token, msg.sender, address(this), amount);
        uint256 rest = block.timestamp < reward.periodFinish
            ? (reward.periodFinish - block.timestamp) * reward.rewardRate
            : 0;
        reward.rewardRate = (amount + rest) / reward.rewardsDuration;
        reward.lastUpdateTime = block.timestamp;
        reward.periodFinish = block.timestamp + reward.rewardsDuration;
        emit RewardAdded(token, amount);
    }

    /// Sends what the reward vault owes this vault to the core.
    function claimRewards() external onlyCore returns (uint256) {
        return rewardsVault.getReward(address(this), infrared);
    }

    function rewardPerToken(address token) public view returns (uint256) {
        Reward storage reward = rewardData[token];
        if (totalSupply == 0) return reward.rewardPerTokenStored;
        uint256 elapsed = _applicable(token) - reward.lastUpdateTime;
        return reward.rewardPerTokenStored + (elapsed * reward.rewardRate * 1e18) / totalSupply;
    }

    function earned(address account, address token) public view returns (uint256) {
        uint256 gained = rewardPerToken(token) - userRewardPerTokenPaid[account][token];
        return rewards[account][token] + (balanceOf[account] * gained) / 1e18;
    }

    function _applicable(address token) private view returns (uint256) {
        uint256 finish = rewardData[token].periodFinish;
        return block.timestamp < finish ? block.timestamp : finish;
    }
}
