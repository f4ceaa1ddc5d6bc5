// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// EIP-1167 minimal clones.
library Clones {
    function clone(address implementation) internal returns (address instance) {
        bytes memory code = creationCode(implementation);
        assembly {
            instance := create(0, add(code, 32), mload(code))
        }
        require(instance != address(0), "clone");
    }

    function cloneDeterministic(address implementation, bytes32 salt) internal returns (address instance) {
        bytes memory code = creationCode(implementation);
        assembly {
            instance := create2(0, add(code, 32), mload(code), salt)
        }
        require(instance != address(0), "clone");
    }

    function predict(address implementation, bytes32 salt, address deployer) internal pure returns (address) {
        bytes32 codeHash = keccak256(creationCode(implementation));
        return address(uint160(uint256(keccak256(abi.encodePacked(hex"ff", deployer, salt, codeHash)))));
    }

    function creationCode(address implementation) private pure returns (bytes memory) {
        return
            abi.encodePacked(
                hex"3d602d80600a3d3981f3363d3d373d3d3d363d73",
                implementation,
                hex"5af43d82803e903d91602b57fd5bf3"
            );
    }
}
