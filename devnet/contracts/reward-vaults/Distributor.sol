// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import "./RewardToken.sol";

interface IRewardVault {
    function notifyRewardAmount(bytes calldata pubkey, uint256 reward) external;
}

/// Mints rewards and hands them to a vault: the vault pays stakers by transferFrom from here.
contract Distributor {
    event Distributed(
        bytes indexed valPubkey,
        uint64 indexed nextTimestamp,
        address indexed receiver,
        uint256 amount
    );

    RewardToken public immutable rewardToken;
    address public immutable owner;

    constructor(RewardToken rewardToken_, address owner_) {
        rewardToken = rewardToken_;
        owner = owner_;
    }

    function distributeFor(
        bytes calldata valPubkey,
        uint64 nextTimestamp,
        address receiver,
        uint256 amount
    ) external {
        require(msg.sender == owner, "owner");
        rewardToken.mint(address(this), amount);
        rewardToken.approve(receiver, rewardToken.allowance(address(this), receiver) + amount);
        IRewardVault(receiver).notifyRewardAmount(valPubkey, amount);
        emit Distributed(valPubkey, nextTimestamp, receiver, amount);
    }
}

/// Keeps which vaults may receive rewards.
contract BeraChef {
    event VaultWhitelistedStatusUpdated(address indexed receiver, bool indexed isWhitelisted, string metadata);

    address public immutable owner;
    mapping(address => bool) public isWhitelistedVault;

    constructor(address owner_) {
        owner = owner_;
    }

    function setVaultWhitelistedStatus(address receiver, bool isWhitelisted, string calldata metadata) external {
        require(msg.sender == owner, "owner");
        isWhitelistedVault[receiver] = isWhitelisted;
        emit VaultWhitelistedStatusUpdated(receiver, isWhitelisted, metadata);
    }
}
