// SPDX-License-Identifier: MIT
pragma solidity >=0.7.0 <0.8.0;

import "@openzeppelin/contracts/cryptography/MerkleProof.sol";

/// Claims as a contract with OpenZeppelin's MerkleProof takes them: double-hashed leaves of account and amount, each once. And
/// the leaf of Sablier's Merkle lockups, word for word.
contract Claims {
    bytes32 public root;
    bytes32 public lockupRoot;
    mapping(address => uint256) public paid;
    mapping(address => bool) public hasClaimed;

    constructor(bytes32 root_, bytes32 lockupRoot_) {
        root = root_;
        lockupRoot = lockupRoot_;
    }

    function claim(address account, uint256 amount, bytes32[] calldata proof) external {
        require(!hasClaimed[account], "claimed");
        bytes32 leaf = keccak256(abi.encodePacked(keccak256(abi.encode(account, amount))));
        require(MerkleProof.verify(proof, root, leaf), "no proof");
        hasClaimed[account] = true;
        paid[account] += amount;
    }

    function isLockupClaim(uint256 index, address recipient, uint128 amount, bytes32[] calldata proof)
        external
        view
        returns (bool)
    {
        bytes32 leaf = keccak256(abi.encodePacked(keccak256(abi.encode(index, recipient, amount))));
        return MerkleProof.verify(proof, lockupRoot, leaf);
    }
}
