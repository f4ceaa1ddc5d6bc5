// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// The least an ERC-20 needs. Metadata lives in storage so that clones can set it after deployment.
abstract contract Erc20 {
    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    uint256 public totalSupply;
    mapping(address => uint256) internal _balances;
    mapping(address => mapping(address => uint256)) internal _allowances;

    function balanceOf(address account) public view virtual returns (uint256) {
        return _balances[account];
    }

    function allowance(address owner, address spender) public view virtual returns (uint256) {
        return _allowances[owner][spender];
    }

    function approve(address spender, uint256 value) external virtual returns (bool) {
        _allowances[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transfer(address to, uint256 value) external virtual returns (bool) {
        _transfer(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external virtual returns (bool) {
        _spendAllowance(from, msg.sender, value);
        _transfer(from, to, value);
        return true;
    }

    function _spendAllowance(address owner, address spender, uint256 value) internal {
        uint256 allowed = allowance(owner, spender);
        if (allowed == type(uint256).max) return;
        require(allowed >= value, "allowance");
        _allowances[owner][spender] = allowed - value;
    }

    function _transfer(address from, address to, uint256 value) internal virtual {
        uint256 balance = _balances[from];
        require(balance >= value, "balance");
        _balances[from] = balance - value;
        _balances[to] += value;
        emit Transfer(from, to, value);
    }

    /// Also to the zero address: supply grows and the zero address holds it.
    function _mint(address to, uint256 value) internal virtual {
        totalSupply += value;
        _balances[to] += value;
        emit Transfer(address(0), to, value);
    }

    function _burn(address from, uint256 value) internal virtual {
        uint256 balance = _balances[from];
        require(balance >= value, "balance");
        _balances[from] = balance - value;
        totalSupply -= value;
        emit Transfer(from, address(0), value);
    }
}
