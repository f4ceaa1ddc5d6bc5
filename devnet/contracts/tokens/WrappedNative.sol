// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import "./Erc20.sol";

/// Wrapped native coin of flavour `transfer`: wrapping is a Transfer from zero, unwrapping one to zero, nothing else.
contract WrappedNative is Erc20 {
    string public name;
    string public symbol;
    uint8 public constant decimals = 18;

    constructor(string memory name_, string memory symbol_) {
        name = name_;
        symbol = symbol_;
    }

    receive() external payable {
        deposit();
    }

    function deposit() public payable {
        _mint(msg.sender, msg.value);
    }

    function withdraw(uint256 value) external {
        _burn(msg.sender, value);
        (bool paid, ) = msg.sender.call{value: value}("");
        require(paid, "pay");
    }
}
