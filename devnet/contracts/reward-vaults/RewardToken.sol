// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import "../tokens/Erc20.sol";

/// BGT-like: minted by whom the owner allows, moved only by allowed senders, redeemable 1:1 for the native coin it holds.
contract RewardToken is Erc20 {
    event Redeem(address indexed from, address indexed receiver, uint256 amount);

    string public constant name = "Bera Governance Token";
    string public constant symbol = "BGT";
    uint8 public constant decimals = 18;

    address public immutable owner;
    mapping(address => bool) public isMinter;
    mapping(address => bool) public isWhitelistedSender;

    constructor(address owner_) {
        owner = owner_;
    }

    receive() external payable {}

    function setMinter(address minter, bool allowed) external {
        require(msg.sender == owner, "owner");
        isMinter[minter] = allowed;
    }

    function setSender(address sender, bool allowed) external {
        require(msg.sender == owner, "owner");
        isWhitelistedSender[sender] = allowed;
    }

    function mint(address to, uint256 value) external {
        require(isMinter[msg.sender], "minter");
        _mint(to, value);
    }

    function redeem(address receiver, uint256 value) external {
        _burn(msg.sender, value);
        emit Redeem(msg.sender, receiver, value);
        (bool paid, ) = receiver.call{value: value}("");
        require(paid, "pay");
    }

    function _transfer(address from, address to, uint256 value) internal override {
        require(isWhitelistedSender[from], "not transferable");
        super._transfer(from, to, value);
    }
}
