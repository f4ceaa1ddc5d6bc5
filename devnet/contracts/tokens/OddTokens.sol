// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import "./MintableToken.sol";

/// Takes 1 % of every transfer and says so: the fee is a second Transfer to the deployer.
contract FeeOnTransferToken is MintableToken {
    address public immutable treasury;

    constructor(string memory name_, string memory symbol_, uint8 decimals_) MintableToken(name_, symbol_, decimals_) {
        treasury = msg.sender;
    }

    function _transfer(address from, address to, uint256 value) internal override {
        uint256 fee = value / 100;
        super._transfer(from, to, value - fee);
        if (fee > 0) super._transfer(from, treasury, fee);
    }
}

/// Says the receiver got everything and credits him 1 % less. The rest is gone; totalSupply does not know.
contract SilentSkimToken is MintableToken {
    constructor(string memory name_, string memory symbol_, uint8 decimals_) MintableToken(name_, symbol_, decimals_) {}

    function _transfer(address from, address to, uint256 value) internal override {
        super._transfer(from, to, value);
        _balances[to] -= value / 100;
    }
}

/// Balances are stored at scale 1 and shown times an index that `rebase` moves without an event.
contract RebasingToken {
    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    string public name;
    string public symbol;
    uint8 public immutable decimals;
    uint256 public index = 1e18;
    uint256 private _scaledSupply;
    mapping(address => uint256) private _scaled;
    mapping(address => mapping(address => uint256)) public allowance;

    constructor(string memory name_, string memory symbol_, uint8 decimals_) {
        name = name_;
        symbol = symbol_;
        decimals = decimals_;
    }

    function totalSupply() external view returns (uint256) {
        return (_scaledSupply * index) / 1e18;
    }

    function balanceOf(address account) public view returns (uint256) {
        return (_scaled[account] * index) / 1e18;
    }

    /// Multiplies every balance by numerator / denominator.
    function rebase(uint256 numerator, uint256 denominator) external {
        index = (index * numerator) / denominator;
    }

    function mint(address to, uint256 value) external {
        uint256 scaled = (value * 1e18) / index;
        _scaledSupply += scaled;
        _scaled[to] += scaled;
        emit Transfer(address(0), to, value);
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        return _transfer(msg.sender, to, value);
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        allowance[from][msg.sender] -= value;
        return _transfer(from, to, value);
    }

    function _transfer(address from, address to, uint256 value) private returns (bool) {
        uint256 scaled = (value * 1e18) / index;
        _scaled[from] -= scaled;
        _scaled[to] += scaled;
        emit Transfer(from, to, value);
        return true;
    }
}

/// Name and symbol are bytes32, as some tokens from before ERC-20 was settled answer them.
contract Bytes32Token is Erc20 {
    bytes32 public constant name = "Bytes32 Token";
    bytes32 public constant symbol = "B32";
    uint8 public constant decimals = 18;

    function mint(address to, uint256 value) external {
        _mint(to, value);
    }
}
