// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import "../tokens/TokenTransfers.sol";

/// Stakes of one token and a reward that accrues per second. Stakes are no ERC-20: only Staked and Withdrawn tell of them.
abstract contract VaultStakes {
    event Staked(address indexed account, uint256 amount);
    event Withdrawn(address indexed account, uint256 amount);
    event RewardAdded(uint256 reward);
    event RewardPaid(address indexed account, address to, uint256 reward);
    event RewardsDurationUpdated(uint256 newDuration);
    event TargetRewardsPerSecondUpdated(uint256 newTarget, uint256 oldTarget);
    event MinRewardDurationForTargetRateUpdated(uint256 newDuration, uint256 oldDuration);

    uint256 internal constant PRECISION = 1e18;

    address public stakeToken;
    address public rewardToken;
    address public distributor;
    uint256 public totalSupply;
    /// Tokens per second, times 1e18.
    uint256 public rewardRate;
    /// Not yet given a rate, times 1e18.
    uint256 public undistributedRewards;
    uint256 public periodFinish;
    uint256 public rewardsDuration;
    uint256 public lastUpdateTime;
    uint256 public rewardPerTokenStored;
    /// Zero: the duration rules. Otherwise the duration stretches so that no more than this, times 1e18, flows per second.
    uint256 public targetRewardsPerSecond;
    uint256 public minRewardDurationForTargetRate;

    struct Account {
        uint256 balance;
        uint256 unclaimed;
        uint256 paidPerToken;
    }
    mapping(address => Account) internal _accounts;

    modifier accrues(address account) {
        rewardPerTokenStored = rewardPerToken();
        uint256 applicable = lastTimeRewardApplicable();
        if (applicable > lastUpdateTime) lastUpdateTime = applicable;
        if (account != address(0)) {
            _accounts[account].unclaimed = earned(account);
            _accounts[account].paidPerToken = rewardPerTokenStored;
        }
        _;
    }

    function balanceOf(address account) external view returns (uint256) {
        return _accounts[account].balance;
    }

    function rewards(address account) external view returns (uint256) {
        return _accounts[account].unclaimed;
    }

    function lastTimeRewardApplicable() public view returns (uint256) {
        return block.timestamp < periodFinish ? block.timestamp : periodFinish;
    }

    function rewardPerToken() public view returns (uint256) {
        uint256 applicable = lastTimeRewardApplicable();
        if (totalSupply == 0 || applicable <= lastUpdateTime) return rewardPerTokenStored;
        return rewardPerTokenStored + ((applicable - lastUpdateTime) * rewardRate) / totalSupply;
    }

    function earned(address account) public view returns (uint256) {
        Account storage a = _accounts[account];
        return a.unclaimed + (a.balance * (rewardPerToken() - a.paidPerToken)) / PRECISION;
    }

    /// `RewardAdded` tells the amount times 1e18, the rest of a running period included.
    function _notifyReward(uint256 reward) internal accrues(address(0)) {
        reward *= PRECISION;
        if (totalSupply != 0 && block.timestamp < periodFinish) reward += _takeLeftOver();
        undistributedRewards += reward;
        if (totalSupply != 0) _setRewardRate();
        emit RewardAdded(reward);
    }

    function _stake(address payer, address account, uint256 amount) internal accrues(account) {
        require(amount > 0, "stake 0");
        if (totalSupply == 0 && undistributedRewards > 0) _setRewardRate();
        totalSupply += amount;
        _accounts[account].balance += amount;
        TokenTransfers.pull(stakeToken, payer, address(this), amount);
        emit Staked(account, amount);
    }

    function _withdraw(address account, address to, uint256 amount) internal accrues(account) {
        require(amount > 0 && amount <= _accounts[account].balance, "withdraw");
        totalSupply -= amount;
        _accounts[account].balance -= amount;
        if (totalSupply == 0 && block.timestamp < periodFinish) {
            undistributedRewards += _takeLeftOver();
            rewardRate = 0;
            periodFinish = 0;
        }
        TokenTransfers.send(stakeToken, to, amount);
        emit Withdrawn(account, amount);
    }

    function _payReward(address account, address to) internal accrues(account) returns (uint256 reward) {
        reward = _accounts[account].unclaimed;
        if (reward == 0) return 0;
        _accounts[account].unclaimed = 0;
        TokenTransfers.pull(rewardToken, distributor, to, reward);
        emit RewardPaid(account, to, reward);
    }

    function _setRewardsDuration(uint256 duration) internal {
        require(duration >= 3 days && duration <= 7 days, "duration");
        rewardsDuration = duration;
        emit RewardsDurationUpdated(duration);
    }

    function _takeLeftOver() private view returns (uint256) {
        return (periodFinish - block.timestamp) * rewardRate;
    }

    function _setRewardRate() private {
        uint256 duration = rewardsDuration;
        if (targetRewardsPerSecond > 0) {
            duration = undistributedRewards / targetRewardsPerSecond;
            if (duration < minRewardDurationForTargetRate) duration = minRewardDurationForTargetRate;
        }
        rewardRate = undistributedRewards / duration;
        undistributedRewards -= rewardRate * duration;
        lastUpdateTime = block.timestamp;
        periodFinish = block.timestamp + duration;
    }
}
