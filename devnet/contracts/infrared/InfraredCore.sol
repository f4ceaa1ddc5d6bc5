// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import "../reward-vaults/RewardVaultFactory.sol";
import "./InfraredVault.sol";

/// Makes one staking vault per asset and passes rewards on to it.
contract InfraredCore {
    event NewVault(address _sender, address indexed _asset, address indexed _vault);

    RewardVaultFactory public immutable rewardsFactory;
    address public immutable owner;
    mapping(address => InfraredVault) public vaultRegistry;

    constructor(RewardVaultFactory rewardsFactory_, address owner_) {
        rewardsFactory = rewardsFactory_;
        owner = owner_;
    }

    function registerVault(address asset) external returns (InfraredVault vault) {
        require(address(vaultRegistry[asset]) == address(0), "registered");
        address rewardVault = rewardsFactory.createRewardVault(asset);
        vault = new InfraredVault(asset, RewardVault(rewardVault));
        vaultRegistry[asset] = vault;
        emit NewVault(msg.sender, asset, address(vault));
    }

    function addReward(address asset, address token, uint256 duration) external {
        require(msg.sender == owner, "owner");
        vaultRegistry[asset].addReward(token, duration);
    }

    /// Takes `amount` of `token` from the caller as the vault's next reward.
    function addIncentives(address asset, address token, uint256 amount) external {
        TokenTransfers.pull(token, msg.sender, address(this), amount);
        TokenTransfers.allow(token, address(vaultRegistry[asset]), amount);
        vaultRegistry[asset].notifyRewardAmount(token, amount);
    }

    function harvestVault(address asset) external returns (uint256) {
        return vaultRegistry[asset].claimRewards();
    }
}
