// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import "../tokens/TokenTransfers.sol";

/// Reward tokens of a farm: tokens per second for all stakers together, shared by combined weight, in periods that renew.
abstract contract FarmRewards {
    event RewardPaid(address indexed user, uint256 reward, address indexed token_address);
    event RewardRateUpdated(address indexed token, uint256 newRate);
    event RewardTokenAdded(address rewardToken);
    event RewardsPeriodRenewed(address indexed token);
    event RewardsDurationUpdated(uint256 newDuration);
    event RewardManagerSet(address indexed token, address manager);
    event RewardsCollectionPausedSet(bool paused);

    address public owner;
    address public stakingToken;
    uint256 public totalCombinedWeight;
    uint256 public periodFinish;
    uint256 public lastUpdateTime;
    uint256 public rewardsDuration;
    bool public farmStarted;
    bool public rewardsCollectionPaused;
    address[] internal _rewardTokens;
    mapping(address => address) public rewardManagers;
    mapping(address => uint256) internal _rates;
    /// Reward per unit of weight since the start, times 1e18, per token.
    mapping(address => uint256) internal _perWeight;
    mapping(address => mapping(address => uint256)) internal _paidPerWeight;
    mapping(address => mapping(address => uint256)) internal _unclaimed;
    mapping(address => uint256) internal _combinedWeights;
    /// Earned by stakers and not paid: not free to start another period with.
    mapping(address => uint256) internal _reserved;

    modifier onlyOwner() {
        require(msg.sender == owner, "owner");
        _;
    }

    function getAllRewardTokens() external view returns (address[] memory) {
        return _rewardTokens;
    }

    function getAllRewardRates() external view returns (uint256[] memory rates) {
        rates = new uint256[](_rewardTokens.length);
        for (uint256 i = 0; i < rates.length; i++) rates[i] = _rates[_rewardTokens[i]];
    }

    function rewardRate(address token) external view returns (uint256) {
        return _rates[token];
    }

    function combinedWeightOf(address account) external view returns (uint256) {
        return _combinedWeights[account];
    }

    function earned(address account) public view returns (uint256[] memory amounts) {
        amounts = new uint256[](_rewardTokens.length);
        for (uint256 i = 0; i < amounts.length; i++) {
            address token = _rewardTokens[i];
            uint256 gained = _perWeightNow(token) - _paidPerWeight[account][token];
            amounts[i] = _unclaimed[account][token] + (_combinedWeights[account] * gained) / 1e18;
        }
    }

    /// Brings accrual up to now and renews a period that is over; a token too scarce for the next one gets rate 0.
    function sync() public {
        if (!farmStarted) return;
        _accrue();
        if (block.timestamp < periodFinish) return;
        uint256 periods = (block.timestamp - periodFinish) / rewardsDuration + 1;
        for (uint256 i = 0; i < _rewardTokens.length; i++) {
            address token = _rewardTokens[i];
            uint256 held = TokenTransfers.held(token, address(this));
            uint256 free = held > _reserved[token] ? held - _reserved[token] : 0;
            if (_rates[token] * rewardsDuration > free) {
                _rates[token] = 0;
                emit RewardRateUpdated(token, 0);
            }
        }
        emit RewardsPeriodRenewed(stakingToken);
        periodFinish += periods * rewardsDuration;
        lastUpdateTime = block.timestamp;
    }

    function setRewardRate(address token, uint256 newRate, bool syncToo) external {
        require(msg.sender == owner || msg.sender == rewardManagers[token], "manager");
        if (syncToo) sync();
        _rates[token] = newRate;
        emit RewardRateUpdated(token, newRate);
    }

    function addNewRewardToken(address token, address manager, uint256 rate) external onlyOwner {
        sync();
        _addRewardToken(token, manager, rate);
        emit RewardRateUpdated(token, rate);
    }

    function setRewardsDuration(uint256 duration) external onlyOwner {
        require(duration >= 1 days, "duration");
        rewardsDuration = duration;
        emit RewardsDurationUpdated(duration);
    }

    function setRewardManager(address token, address manager) external onlyOwner {
        rewardManagers[token] = manager;
        emit RewardManagerSet(token, manager);
    }

    function setRewardsCollectionPaused(bool paused) external onlyOwner {
        rewardsCollectionPaused = paused;
        emit RewardsCollectionPausedSet(paused);
    }

    function _addRewardToken(address token, address manager, uint256 rate) internal {
        _rewardTokens.push(token);
        _rates[token] = rate;
        rewardManagers[token] = manager;
        emit RewardTokenAdded(token);
    }

    function _setWeight(address account, uint256 weight) internal {
        totalCombinedWeight = totalCombinedWeight - _combinedWeights[account] + weight;
        _combinedWeights[account] = weight;
    }

    function _settle(address account) internal {
        sync();
        uint256[] memory amounts = earned(account);
        for (uint256 i = 0; i < amounts.length; i++) {
            address token = _rewardTokens[i];
            _unclaimed[account][token] = amounts[i];
            _paidPerWeight[account][token] = _perWeight[token];
        }
    }

    function _payRewards(address account, address to) internal {
        if (rewardsCollectionPaused) return;
        for (uint256 i = 0; i < _rewardTokens.length; i++) {
            address token = _rewardTokens[i];
            uint256 amount = _unclaimed[account][token];
            if (amount == 0) continue;
            _unclaimed[account][token] = 0;
            _reserved[token] -= amount;
            TokenTransfers.send(token, to, amount);
            emit RewardPaid(account, amount, token);
        }
    }

    function _accrue() private {
        for (uint256 i = 0; i < _rewardTokens.length; i++) {
            address token = _rewardTokens[i];
            uint256 perWeight = _perWeightNow(token);
            uint256 grown = perWeight - _perWeight[token];
            _reserved[token] += (totalCombinedWeight * grown + 1e18 - 1) / 1e18;
            _perWeight[token] = perWeight;
        }
        uint256 until = block.timestamp < periodFinish ? block.timestamp : periodFinish;
        if (until > lastUpdateTime) lastUpdateTime = until;
    }

    function _perWeightNow(address token) private view returns (uint256) {
        uint256 until = block.timestamp < periodFinish ? block.timestamp : periodFinish;
        if (totalCombinedWeight == 0 || until <= lastUpdateTime) return _perWeight[token];
        return _perWeight[token] + ((until - lastUpdateTime) * _rates[token] * 1e18) / totalCombinedWeight;
    }
}
