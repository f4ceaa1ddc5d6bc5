// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import "./Erc20.sol";

/// A plain ERC-20 that anyone may mint, the zero address included; burning is by holders.
contract MintableToken is Erc20 {
    string public name;
    string public symbol;
    uint8 public immutable decimals;

    constructor(string memory name_, string memory symbol_, uint8 decimals_) {
        name = name_;
        symbol = symbol_;
        decimals = decimals_;
    }

    function mint(address to, uint256 value) external {
        _mint(to, value);
    }

    function burn(uint256 value) external {
        _burn(msg.sender, value);
    }
}
