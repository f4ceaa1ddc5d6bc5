// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import "../reward-vaults/RewardVaultFactory.sol";
import "../tokens/Clones.sol";
import "./Bault.sol";

/// Clones baults over staking tokens that already have a reward vault.
contract BaultFactory {
    event BaultDeployed(address indexed bault, address implementation, address indexed stakingToken);

    address public immutable implementation;
    RewardVaultFactory public immutable rewardVaultFactory;
    address public immutable owner;
    address[] public allBaults;

    constructor(address implementation_, RewardVaultFactory rewardVaultFactory_, address owner_) {
        implementation = implementation_;
        rewardVaultFactory = rewardVaultFactory_;
        owner = owner_;
    }

    function deployBault(address stakingToken, string calldata name) external returns (address bault) {
        require(msg.sender == owner, "owner");
        address rewardVault = rewardVaultFactory.getVault(stakingToken);
        require(rewardVault != address(0), "no reward vault");
        bault = Clones.clone(implementation);
        allBaults.push(bault);
        Bault(bault).initialize(stakingToken, rewardVault, name);
        emit BaultDeployed(bault, implementation, stakingToken);
    }

    function allBaultsLength() external view returns (uint256) {
        return allBaults.length;
    }
}
