// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import "../tokens/TokenTransfers.sol";
import "./V3Pools.sol";

/// Calls a v3 pool of either flavour for an account that has approved it: trades, positions held in the pool itself,
/// and flashes paid back at once with a tip on top of the fee.
contract PoolCaller {

    address private _pool;

    function borrow(address pool, uint256 amount0, uint256 amount1, uint256 tip) external {
        _pool = pool;
        IV3Pool(pool).flash(address(this), amount0, amount1, abi.encode(msg.sender, amount0, amount1, tip));
        _pool = address(0);
    }

    /// The position belongs to `owner` in the pool itself.
    function mintDirect(address pool, address owner, int24 lower, int24 upper, uint128 liquidity) external {
        _pool = pool;
        IV3Pool(pool).mint(owner, lower, upper, liquidity, abi.encode(msg.sender));
        _pool = address(0);
    }

    function swapDirect(address pool, address recipient, bool zeroForOne, int256 amount, uint160 limit) external {
        _pool = pool;
        IV3Pool(pool).swap(recipient, zeroForOne, amount, limit, abi.encode(msg.sender));
        _pool = address(0);
    }

    function uniswapV3FlashCallback(uint256 fee0, uint256 fee1, bytes calldata data) external {
        require(msg.sender == _pool, "pool");
        (address payer, uint256 amount0, uint256 amount1, uint256 tip) = abi.decode(
            data,
            (address, uint256, uint256, uint256)
        );
        if (amount0 > 0) _repay(IV3Pool(msg.sender).token0(), payer, amount0, fee0 + tip);
        if (amount1 > 0) _repay(IV3Pool(msg.sender).token1(), payer, amount1, fee1 + tip);
    }

    function uniswapV3MintCallback(uint256 owed0, uint256 owed1, bytes calldata data) external {
        require(msg.sender == _pool, "pool");
        address payer = abi.decode(data, (address));
        if (owed0 > 0) TokenTransfers.pull(IV3Pool(msg.sender).token0(), payer, msg.sender, owed0);
        if (owed1 > 0) TokenTransfers.pull(IV3Pool(msg.sender).token1(), payer, msg.sender, owed1);
    }

    function uniswapV3SwapCallback(int256 delta0, int256 delta1, bytes calldata data) external {
        require(msg.sender == _pool, "pool");
        address payer = abi.decode(data, (address));
        if (delta0 > 0) TokenTransfers.pull(IV3Pool(msg.sender).token0(), payer, msg.sender, uint256(delta0));
        if (delta1 > 0) TokenTransfers.pull(IV3Pool(msg.sender).token1(), payer, msg.sender, uint256(delta1));
    }

    function _repay(address token, address payer, uint256 borrowed, uint256 extra) private {
        TokenTransfers.send(token, msg.sender, borrowed);
        TokenTransfers.pull(token, payer, msg.sender, extra);
    }
}
