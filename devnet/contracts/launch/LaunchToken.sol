// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import "../tokens/Erc20.sol";
import "./CurvePool.sol";

/// A launched token that is its own pool: it holds what is not sold and trades it itself.
contract LaunchToken is Erc20, CurvePool {
    string public constant VERSION = "PandaTokenV1";
    uint8 public constant decimals = 18;
    uint256 private constant SUPPLY = 1_000_000_000e18;

    string public name;
    string public symbol;

    /// First logs, in order: the mint's Transfer, Sync, PoolInitialized; the factory's own log comes after.
    function initialize(LaunchParams calldata params, address deployer_, bytes calldata data) external {
        (name, symbol) = abi.decode(data, (string, string));
        _mint(address(this), SUPPLY);
        _initializeCurve(params, address(this), SUPPLY, deployer_);
        emit PoolInitialized(
            address(this),
            params.baseToken,
            params.sqrtPa,
            params.sqrtPb,
            params.vestingPeriod,
            deployer_,
            data
        );
    }

    function isPandaToken() external pure override returns (bool) {
        return true;
    }

    /// The pool may always take what is sold to it.
    function allowance(address owner, address spender) public view override returns (uint256) {
        return spender == address(this) ? type(uint256).max : super.allowance(owner, spender);
    }

    function _transfer(address from, address to, uint256 value) internal override {
        require(graduated || to != dexPair, "not graduated");
        super._transfer(from, to, value);
    }

    function _takeTokens(address from, uint256 amount) internal override {
        _transfer(from, address(this), amount);
    }

    function _giveTokens(address to, uint256 amount) internal override {
        _transfer(address(this), to, amount);
    }
}

/// A pool over an ERC-20 that exists already; the factory has funded it before it starts.
contract LaunchPool is CurvePool {
    string public constant VERSION = "PandaPoolV1";

    function initialize(
        LaunchParams calldata params,
        address token,
        uint256 supply,
        address deployer_,
        bytes calldata data
    ) external {
        _initializeCurve(params, token, supply, deployer_);
        require(TokenTransfers.held(token, address(this)) >= supply, "not funded");
        emit PoolInitialized(
            token,
            params.baseToken,
            params.sqrtPa,
            params.sqrtPb,
            params.vestingPeriod,
            deployer_,
            data
        );
    }

    function isPandaToken() external pure override returns (bool) {
        return false;
    }

    function _takeTokens(address from, uint256 amount) internal override {
        TokenTransfers.pull(pandaToken, from, address(this), amount);
    }

    function _giveTokens(address to, uint256 amount) internal override {
        TokenTransfers.send(pandaToken, to, amount);
    }
}
