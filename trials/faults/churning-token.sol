// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// A plain ERC-20 that moves balances between made-up accounts on demand: one Transfer for each step, whatever the seed.
contract ChurningToken {
    event Transfer(address indexed from, address indexed to, uint256 value);

    string public name;
    string public symbol;
    uint8 public constant decimals = 0;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;

    constructor(string memory name_, string memory symbol_) {
        name = name_;
        symbol = symbol_;
    }

    function accountOf(uint256 index) public pure returns (address) {
        return address(uint160(0xACC0000000 + index));
    }

    /// `steps` Transfers among the first `population` accounts: mints, burns, moves of nothing, of a part, of all, to oneself.
    function churn(uint256 seed, uint256 steps, uint256 population) external {
        for (uint256 i = 0; i < steps; i++) {
            uint256 random = uint256(keccak256(abi.encode(seed, i)));
            address from = accountOf(random % population);
            address to = accountOf((random >> 64) % population);
            uint256 kind = (random >> 128) % 8;
            uint256 held = balanceOf[from];
            if (held == 0 || kind == 0) _mint(to, (random >> 136) % 1_000_000);
            else if (kind == 1) _burn(from, (held * ((random >> 136) % 101)) / 100);
            else _move(from, to, (held * ((random >> 136) % 101)) / 100);
        }
    }

    /// One unit or more to each of `count` accounts from `first` on.
    function spread(uint256 first, uint256 count) external {
        for (uint256 i = first; i < first + count; i++) _mint(accountOf(i), 1 + i);
    }

    function _mint(address to, uint256 value) private {
        totalSupply += value;
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function _burn(address from, uint256 value) private {
        totalSupply -= value;
        balanceOf[from] -= value;
        emit Transfer(from, address(0), value);
    }

    function _move(address from, address to, uint256 value) private {
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }
}
