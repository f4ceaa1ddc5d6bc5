// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import "./FarmRewards.sol";

/// Locked staking: a longer lock weighs more, up to a maximum; staked tokens come back 1:1.
contract Farm is FarmRewards {
    event StakeLocked(address indexed user, uint256 amount, uint256 secs, bytes32 kek_id);
    event WithdrawLocked(address indexed user, uint256 amount, bytes32 kek_id);
    event FarmStarted();
    event LockedStakeMaxMultiplierUpdated(uint256 multiplier);
    event LockedStakeTimeForMaxMultiplier(uint256 secs);
    event LockedStakeMinTime(uint256 secs);
    event StakingTokenCapUpdated(uint256 cap);
    event StakingPausedSet(bool paused);
    event StakesUnlockedSet(bool unlocked);
    event GreylistSet(address indexed account, bool status);

    struct LockedStake {
        bytes32 kek_id;
        uint256 start_timestamp;
        uint256 liquidity;
        uint256 ending_timestamp;
        uint256 lock_multiplier;
    }

    uint256 public totalLiquidityLocked;
    uint256 public lock_max_multiplier;
    uint256 public lock_time_for_max_multiplier;
    uint256 public lock_time_min;
    uint256 public stakingTokenCap;
    bool public stakingPaused;
    bool public stakesUnlocked;
    mapping(address => bool) public greylist;
    mapping(address => uint256) public lockedLiquidityOf;
    mapping(address => LockedStake[]) private _stakes;

    /// The rates given here show in no event, nor does the staking token.
    function initialize(
        address owner_,
        address stakingToken_,
        address[] calldata rewardTokens,
        uint256[] calldata rewardRates
    ) external {
        require(owner == address(0) && owner_ != address(0), "initialized");
        require(rewardTokens.length == rewardRates.length, "lengths");
        owner = owner_;
        stakingToken = stakingToken_;
        rewardsDuration = 30 days;
        lock_max_multiplier = 3e18;
        lock_time_for_max_multiplier = 30 days;
        stakingTokenCap = type(uint256).max;
        for (uint256 i = 0; i < rewardTokens.length; i++) _addRewardToken(rewardTokens[i], owner_, rewardRates[i]);
    }

    /// Rewards flow from here on.
    function startFarm() external onlyOwner {
        require(!farmStarted, "started");
        farmStarted = true;
        lastUpdateTime = block.timestamp;
        periodFinish = block.timestamp + rewardsDuration;
        emit FarmStarted();
    }

    function lockedStakesOf(address account) external view returns (LockedStake[] memory) {
        return _stakes[account];
    }

    /// 1e18 without a lock, growing in a line to the maximum.
    function lockMultiplier(uint256 secs) public view returns (uint256) {
        uint256 multiplier = 1e18 + (secs * (lock_max_multiplier - 1e18)) / lock_time_for_max_multiplier;
        return multiplier > lock_max_multiplier ? lock_max_multiplier : multiplier;
    }

    function stakeLocked(uint256 liquidity, uint256 secs) external {
        require(!stakingPaused && !greylist[msg.sender], "paused");
        require(liquidity > 0 && secs >= lock_time_min && secs <= lock_time_for_max_multiplier, "lock");
        require(totalLiquidityLocked + liquidity <= stakingTokenCap, "cap");
        _settle(msg.sender);
        _payRewards(msg.sender, msg.sender);
        uint256 locked = lockedLiquidityOf[msg.sender];
        bytes32 kekId = keccak256(abi.encodePacked(msg.sender, block.timestamp, liquidity, locked));
        uint256 end = block.timestamp + secs;
        _stakes[msg.sender].push(LockedStake(kekId, block.timestamp, liquidity, end, lockMultiplier(secs)));
        TokenTransfers.pull(stakingToken, msg.sender, address(this), liquidity);
        totalLiquidityLocked += liquidity;
        lockedLiquidityOf[msg.sender] = locked + liquidity;
        _setWeight(msg.sender, _weightOf(msg.sender));
        emit StakeLocked(msg.sender, liquidity, secs, kekId);
    }

    function withdrawLocked(bytes32 kekId) external {
        _settle(msg.sender);
        _payRewards(msg.sender, msg.sender);
        _withdraw(kekId);
    }

    function withdrawLockedAll() external {
        _settle(msg.sender);
        _payRewards(msg.sender, msg.sender);
        for (uint256 i = _stakes[msg.sender].length; i > 0; i--) _withdraw(_stakes[msg.sender][i - 1].kek_id);
    }

    /// Gives the stake up to now without paying any reward.
    function emergencyWithdraw(bytes32 kekId) external {
        _settle(msg.sender);
        _withdraw(kekId);
    }

    function getReward() external {
        _settle(msg.sender);
        _payRewards(msg.sender, msg.sender);
        _setWeight(msg.sender, _weightOf(msg.sender));
    }

    function setLockedStakeMaxMultiplier(uint256 multiplier) external onlyOwner {
        require(multiplier >= 1e18, "multiplier");
        lock_max_multiplier = multiplier;
        emit LockedStakeMaxMultiplierUpdated(multiplier);
    }

    function setLockedStakeTimeForMaxMultiplier(uint256 secs) external onlyOwner {
        require(secs >= 1, "secs");
        lock_time_for_max_multiplier = secs;
        emit LockedStakeTimeForMaxMultiplier(secs);
    }

    function setLockedStakeMinTime(uint256 secs) external onlyOwner {
        lock_time_min = secs;
        emit LockedStakeMinTime(secs);
    }

    function setStakingTokenCap(uint256 cap) external onlyOwner {
        stakingTokenCap = cap;
        emit StakingTokenCapUpdated(cap);
    }

    function setStakingPaused(bool paused) external onlyOwner {
        stakingPaused = paused;
        emit StakingPausedSet(paused);
    }

    function setStakesUnlocked(bool unlocked) external onlyOwner {
        stakesUnlocked = unlocked;
        emit StakesUnlockedSet(unlocked);
    }

    function setGreylist(address account, bool status) external onlyOwner {
        greylist[account] = status;
        emit GreylistSet(account, status);
    }

    function _withdraw(bytes32 kekId) private {
        LockedStake[] storage stakes = _stakes[msg.sender];
        uint256 i = 0;
        while (i < stakes.length && stakes[i].kek_id != kekId) i++;
        require(i < stakes.length, "no such stake");
        LockedStake memory stake = stakes[i];
        require(stakesUnlocked || block.timestamp >= stake.ending_timestamp, "locked");
        stakes[i] = stakes[stakes.length - 1];
        stakes.pop();
        totalLiquidityLocked -= stake.liquidity;
        lockedLiquidityOf[msg.sender] -= stake.liquidity;
        _setWeight(msg.sender, _weightOf(msg.sender));
        TokenTransfers.send(stakingToken, msg.sender, stake.liquidity);
        emit WithdrawLocked(msg.sender, stake.liquidity, kekId);
    }

    /// A stake whose lock has ended weighs once, from the account's next action on.
    function _weightOf(address account) private view returns (uint256 weight) {
        LockedStake[] storage stakes = _stakes[account];
        for (uint256 i = 0; i < stakes.length; i++) {
            uint256 multiplier = block.timestamp < stakes[i].ending_timestamp ? stakes[i].lock_multiplier : 1e18;
            weight += (stakes[i].liquidity * multiplier) / 1e18;
        }
    }
}
