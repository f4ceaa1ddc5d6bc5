// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import "../tokens/Clones.sol";
import "./RewardVault.sol";

/// One reward vault per staking token, at an address that can be known beforehand.
contract RewardVaultFactory {
    event VaultCreated(address indexed stakingToken, address indexed vault);

    address public immutable implementation;
    address public immutable distributor;
    address public immutable rewardToken;
    address public immutable owner;
    mapping(address => address) public getVault;
    address[] public allVaults;

    constructor(address implementation_, address distributor_, address rewardToken_, address owner_) {
        implementation = implementation_;
        distributor = distributor_;
        rewardToken = rewardToken_;
        owner = owner_;
    }

    /// The existing vault where there is one. `VaultCreated` precedes the vault's own first logs.
    function createRewardVault(address stakingToken) external returns (address vault) {
        vault = getVault[stakingToken];
        if (vault != address(0)) return vault;
        vault = Clones.cloneDeterministic(implementation, _salt(stakingToken));
        getVault[stakingToken] = vault;
        allVaults.push(vault);
        emit VaultCreated(stakingToken, vault);
        RewardVault(vault).initialize(distributor, rewardToken, stakingToken);
    }

    function predictRewardVaultAddress(address stakingToken) external view returns (address) {
        return Clones.predict(implementation, _salt(stakingToken), address(this));
    }

    function allVaultsLength() external view returns (uint256) {
        return allVaults.length;
    }

    function _salt(address stakingToken) private pure returns (bytes32) {
        return bytes32(uint256(uint160(stakingToken)));
    }
}
