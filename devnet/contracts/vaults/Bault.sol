// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import "../reward-vaults/RewardVault.sol";
import "./Erc4626.sol";

/// Stakes its assets in their reward vault. Whoever brings the bounty in assets takes the rewards: that compounds.
contract Bault is Erc4626 {
    event BgtClaimed(
        address indexed bountySender,
        address indexed bgtRecipient,
        uint256 indexed compoundAmount,
        uint256 compoundFee,
        uint256 tokenToRecipient
    );
    event ExitFeePaid(uint256 assets, uint256 fee);
    event ExitFeeBpsUpdated(uint256 exitFeeBps);
    event BountyUpdated(uint256 bounty);
    event CompoundFeeBpsUpdated(uint256 compoundFeeBps);
    event Paused(address account);
    event Unpaused(address account);

    address public factory;
    RewardVault public rewardVault;
    uint256 public bounty;
    uint256 public exitFeeBps;
    uint256 public compoundFeeBps;
    bool public paused;

    modifier onlyOwner() {
        require(msg.sender == owner(), "owner");
        _;
    }

    function initialize(address stakingToken, address rewardVault_, string calldata name_) external {
        require(factory == address(0), "initialized");
        factory = msg.sender;
        asset = stakingToken;
        rewardVault = RewardVault(rewardVault_);
        name = string.concat("Bault-", name_);
        symbol = string.concat("b-", name_);
        TokenTransfers.allow(stakingToken, rewardVault_, type(uint256).max);
    }

    function owner() public view returns (address) {
        return IOwned(factory).owner();
    }

    function stakingToken() external view returns (address) {
        return asset;
    }

    function totalAssets() public view override returns (uint256) {
        return rewardVault.balanceOf(address(this));
    }

    function earned() external view returns (uint256) {
        return rewardVault.earned(address(this));
    }

    /// Takes the bounty from the caller, stakes it less the fee, and sends him all rewards earned so far.
    function claimBgt(address bgtRecipient) external returns (uint256 reward) {
        require(!paused, "paused");
        uint256 fee = (bounty * compoundFeeBps) / 10000;
        TokenTransfers.pull(asset, msg.sender, address(this), bounty);
        if (fee > 0) TokenTransfers.send(asset, owner(), fee);
        if (bounty > fee) rewardVault.stake(bounty - fee);
        reward = rewardVault.getReward(address(this), bgtRecipient);
        emit BgtClaimed(msg.sender, bgtRecipient, bounty - fee, fee, reward);
    }

    function setBounty(uint256 bounty_) external onlyOwner {
        bounty = bounty_;
        emit BountyUpdated(bounty_);
    }

    function setExitFeeBps(uint256 bps) external onlyOwner {
        require(bps <= 500, "bps");
        exitFeeBps = bps;
        emit ExitFeeBpsUpdated(bps);
    }

    function setCompoundFeeBps(uint256 bps) external onlyOwner {
        require(bps <= 2000, "bps");
        compoundFeeBps = bps;
        emit CompoundFeeBpsUpdated(bps);
    }

    function setPaused(bool paused_) external onlyOwner {
        paused = paused_;
        if (paused_) emit Paused(msg.sender);
        else emit Unpaused(msg.sender);
    }

    function _afterDeposit(uint256 assets) internal override {
        require(!paused, "paused");
        rewardVault.stake(assets);
    }

    function _beforeWithdraw(uint256 assets) internal override {
        rewardVault.withdraw(assets);
    }

    function _exitFee(uint256 assets) internal view override returns (uint256) {
        return (assets * exitFeeBps + 9999) / 10000;
    }

    /// The fee stays staked, so the remaining holders have it.
    function _feePaid(uint256 assets, uint256 fee) internal override {
        emit ExitFeePaid(assets, fee);
    }
}
