// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import "../tokens/Clones.sol";
import "./Farm.sol";

/// Clones farms. Its event names neither the staking token nor the rewards.
contract FarmFactory {
    event FarmDeployed(address indexed farm, address indexed implementation);
    event AllowedImplementationSet(address indexed implementation, bool allowed);

    address public immutable owner;
    mapping(address => bool) public allowedImplementations;
    address[] public allFarms;

    constructor(address owner_) {
        owner = owner_;
    }

    function setAllowedImplementation(address implementation, bool allowed) external {
        require(msg.sender == owner, "owner");
        allowedImplementations[implementation] = allowed;
        emit AllowedImplementationSet(implementation, allowed);
    }

    function deployFarm(
        address implementation,
        address farmOwner,
        address stakingToken,
        address[] calldata rewardTokens,
        uint256[] calldata rewardRates
    ) external returns (address farm) {
        require(allowedImplementations[implementation], "implementation");
        farm = Clones.clone(implementation);
        allFarms.push(farm);
        Farm(farm).initialize(farmOwner, stakingToken, rewardTokens, rewardRates);
        emit FarmDeployed(farm, implementation);
    }

    function allFarmsLength() external view returns (uint256) {
        return allFarms.length;
    }
}
