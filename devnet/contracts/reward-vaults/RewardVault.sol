// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import "./VaultStakes.sol";

interface IOwned {
    function owner() external view returns (address);
}

/// One vault per staking token: own, on-behalf and delegated stakes, and incentives for those who direct rewards here.
contract RewardVault is VaultStakes {
    event DelegateStaked(address indexed account, address indexed delegate, uint256 amount);
    event DelegateWithdrawn(address indexed account, address indexed delegate, uint256 amount);
    event IncentiveTokenWhitelisted(address indexed token, uint256 minIncentiveRate, address manager);
    event IncentiveTokenRemoved(address indexed token);
    event IncentiveAdded(address indexed token, address sender, uint256 amount, uint256 incentiveRate);
    event IncentivesProcessed(bytes indexed pubkey, address indexed token, uint256 bgtEmitted, uint256 amount);
    event BGTBoosterIncentivesProcessed(
        bytes indexed pubkey,
        address indexed token,
        uint256 bgtEmitted,
        uint256 amount
    );
    event IncentivesProcessFailed(bytes indexed pubkey, address indexed token, uint256 bgtEmitted, uint256 amount);
    event OperatorSet(address account, address operator);
    event DistributorSet(address indexed distributor);
    event Recovered(address token, uint256 amount);

    struct Incentive {
        uint256 minIncentiveRate;
        /// Incentive tokens per reward token, times 1e18.
        uint256 incentiveRate;
        uint256 amountRemaining;
        address manager;
    }

    /// One part in ten of an incentive is the validator's, the rest its boosters'.
    uint256 private constant VALIDATOR_PART = 10;

    address public factory;
    mapping(address => address) public operator;
    mapping(address => uint256) public delegateTotalStaked;
    mapping(address => mapping(address => uint256)) public getDelegateStake;
    mapping(address => Incentive) public incentives;
    address[] public whitelistedTokens;

    modifier onlyOwner() {
        require(msg.sender == IOwned(factory).owner(), "owner");
        _;
    }

    function initialize(address distributor_, address rewardToken_, address stakeToken_) external {
        require(factory == address(0), "initialized");
        factory = msg.sender;
        distributor = distributor_;
        rewardToken = rewardToken_;
        stakeToken = stakeToken_;
        rewardsDuration = 7 days;
        minRewardDurationForTargetRate = 3 days;
        emit DistributorSet(distributor_);
        emit RewardsDurationUpdated(7 days);
    }

    function stake(uint256 amount) external {
        _stake(msg.sender, msg.sender, amount);
    }

    /// The stake is the account's own: it may withdraw it itself.
    function stakeOnBehalf(address account, uint256 amount) external {
        _stake(msg.sender, account, amount);
    }

    /// Rewards are the account's; the tokens go back to the delegate, who alone can withdraw them.
    function delegateStake(address account, uint256 amount) external {
        require(msg.sender != account, "self");
        delegateTotalStaked[account] += amount;
        getDelegateStake[account][msg.sender] += amount;
        _stake(msg.sender, account, amount);
        emit DelegateStaked(account, msg.sender, amount);
    }

    function withdraw(uint256 amount) public {
        require(_accounts[msg.sender].balance - delegateTotalStaked[msg.sender] >= amount, "self staked");
        _withdraw(msg.sender, msg.sender, amount);
    }

    function delegateWithdraw(address account, uint256 amount) external {
        require(getDelegateStake[account][msg.sender] >= amount, "delegate staked");
        getDelegateStake[account][msg.sender] -= amount;
        delegateTotalStaked[account] -= amount;
        _withdraw(account, msg.sender, amount);
        emit DelegateWithdrawn(account, msg.sender, amount);
    }

    function getReward(address account, address recipient) public returns (uint256) {
        require(msg.sender == account || msg.sender == operator[account], "operator");
        return _payReward(account, recipient);
    }

    function exit(address recipient) external {
        withdraw(_accounts[msg.sender].balance - delegateTotalStaked[msg.sender]);
        getReward(msg.sender, recipient);
    }

    function setOperator(address operator_) external {
        operator[msg.sender] = operator_;
        emit OperatorSet(msg.sender, operator_);
    }

    function notifyRewardAmount(bytes calldata pubkey, uint256 reward) external {
        require(msg.sender == distributor, "distributor");
        _notifyReward(reward);
        for (uint256 i = 0; i < whitelistedTokens.length; i++) _processIncentive(pubkey, whitelistedTokens[i], reward);
    }

    function setRewardsDuration(uint256 duration) external onlyOwner {
        _setRewardsDuration(duration);
    }

    /// In tokens per second times 1e18; zero returns to fixed durations.
    function setTargetRewardsPerSecond(uint256 target) external onlyOwner {
        emit TargetRewardsPerSecondUpdated(target, targetRewardsPerSecond);
        targetRewardsPerSecond = target;
    }

    function whitelistIncentiveToken(address token, uint256 minIncentiveRate, address manager) external onlyOwner {
        require(incentives[token].minIncentiveRate == 0 && minIncentiveRate > 0 && manager != address(0), "incentive");
        incentives[token] = Incentive(minIncentiveRate, minIncentiveRate, 0, manager);
        whitelistedTokens.push(token);
        emit IncentiveTokenWhitelisted(token, minIncentiveRate, manager);
    }

    /// What remains of a removed incentive goes back to its manager.
    function removeIncentiveToken(address token) external onlyOwner {
        Incentive memory incentive = incentives[token];
        require(incentive.minIncentiveRate > 0, "incentive");
        delete incentives[token];
        for (uint256 i = 0; i < whitelistedTokens.length; i++) {
            if (whitelistedTokens[i] != token) continue;
            whitelistedTokens[i] = whitelistedTokens[whitelistedTokens.length - 1];
            whitelistedTokens.pop();
            break;
        }
        if (incentive.amountRemaining > 0) TokenTransfers.send(token, incentive.manager, incentive.amountRemaining);
        emit IncentiveTokenRemoved(token);
    }

    function addIncentive(address token, uint256 amount, uint256 incentiveRate) external {
        Incentive storage incentive = incentives[token];
        require(msg.sender == incentive.manager, "manager");
        require(incentiveRate >= incentive.minIncentiveRate, "rate");
        TokenTransfers.pull(token, msg.sender, address(this), amount);
        incentive.amountRemaining += amount;
        incentive.incentiveRate = incentiveRate;
        emit IncentiveAdded(token, msg.sender, amount, incentiveRate);
    }

    /// Rescues tokens sent by mistake; never staked ones, never incentives.
    function recoverERC20(address token, uint256 amount) external onlyOwner {
        require(incentives[token].minIncentiveRate == 0, "incentive");
        uint256 held = TokenTransfers.held(token, address(this));
        require(token != stakeToken || held - totalSupply >= amount, "staked");
        TokenTransfers.send(token, msg.sender, amount);
        emit Recovered(token, amount);
    }

    function whitelistedTokensCount() external view returns (uint256) {
        return whitelistedTokens.length;
    }

    function _processIncentive(bytes calldata pubkey, address token, uint256 bgtEmitted) private {
        Incentive storage incentive = incentives[token];
        uint256 amount = (bgtEmitted * incentive.incentiveRate) / PRECISION;
        if (amount > incentive.amountRemaining) amount = incentive.amountRemaining;
        if (amount == 0) return;
        address to = IOwned(factory).owner(); // stands for validator and boosters
        try IErc20(token).transfer(to, amount) returns (bool) {
            incentive.amountRemaining -= amount;
            uint256 validators = amount / VALIDATOR_PART;
            if (validators > 0) emit IncentivesProcessed(pubkey, token, bgtEmitted, validators);
            emit BGTBoosterIncentivesProcessed(pubkey, token, bgtEmitted, amount - validators);
        } catch {
            emit IncentivesProcessFailed(pubkey, token, bgtEmitted, amount);
        }
    }
}
