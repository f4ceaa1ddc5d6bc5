// SPDX-License-Identifier: GPL-2.0-or-later
pragma solidity =0.7.6;

import "@uniswap/v3-core/contracts/interfaces/callback/IUniswapV3MintCallback.sol";
import "@uniswap/v3-core/contracts/libraries/LiquidityMath.sol";
import "@uniswap/v3-core/contracts/libraries/LowGasSafeMath.sol";
import "@uniswap/v3-core/contracts/libraries/SafeCast.sol";
import "@uniswap/v3-core/contracts/libraries/SqrtPriceMath.sol";
import "@uniswap/v3-core/contracts/libraries/TickBitmap.sol";
import "./KodiakV3State.sol";

/// Liquidity comes, goes and is paid out: unchanged from Uniswap v3.
abstract contract KodiakV3Positions is KodiakV3State {
    using LowGasSafeMath for uint256;
    using SafeCast for int256;
    using Tick for mapping(int24 => Tick.Info);
    using TickBitmap for mapping(int16 => uint256);
    using Position for mapping(bytes32 => Position.Info);
    using Position for Position.Info;
    using Oracle for Oracle.Observation[65535];

    function mint(
        address recipient,
        int24 tickLower,
        int24 tickUpper,
        uint128 amount,
        bytes calldata data
    ) external lock returns (uint256 amount0, uint256 amount1) {
        require(amount > 0);
        (int256 owed0, int256 owed1) = _changePosition(recipient, tickLower, tickUpper, int256(amount).toInt128());
        amount0 = uint256(owed0);
        amount1 = uint256(owed1);
        uint256 before0 = amount0 > 0 ? _held(token0) : 0;
        uint256 before1 = amount1 > 0 ? _held(token1) : 0;
        IUniswapV3MintCallback(msg.sender).uniswapV3MintCallback(amount0, amount1, data);
        if (amount0 > 0) require(before0.add(amount0) <= _held(token0), "M0");
        if (amount1 > 0) require(before1.add(amount1) <= _held(token1), "M1");
        emit Mint(msg.sender, recipient, tickLower, tickUpper, amount, amount0, amount1);
    }

    function burn(
        int24 tickLower,
        int24 tickUpper,
        uint128 amount
    ) external lock returns (uint256 amount0, uint256 amount1) {
        (int256 owed0, int256 owed1) = _changePosition(msg.sender, tickLower, tickUpper, -int256(amount).toInt128());
        amount0 = uint256(-owed0);
        amount1 = uint256(-owed1);
        if (amount0 > 0 || amount1 > 0) {
            Position.Info storage position = positions.get(msg.sender, tickLower, tickUpper);
            position.tokensOwed0 += uint128(amount0);
            position.tokensOwed1 += uint128(amount1);
        }
        emit Burn(msg.sender, tickLower, tickUpper, amount, amount0, amount1);
    }

    function collect(
        address recipient,
        int24 tickLower,
        int24 tickUpper,
        uint128 amount0Requested,
        uint128 amount1Requested
    ) external lock returns (uint128 amount0, uint128 amount1) {
        Position.Info storage position = positions.get(msg.sender, tickLower, tickUpper);
        amount0 = amount0Requested > position.tokensOwed0 ? position.tokensOwed0 : amount0Requested;
        amount1 = amount1Requested > position.tokensOwed1 ? position.tokensOwed1 : amount1Requested;
        position.tokensOwed0 -= amount0;
        position.tokensOwed1 -= amount1;
        if (amount0 > 0) TransferHelper.safeTransfer(token0, recipient, amount0);
        if (amount1 > 0) TransferHelper.safeTransfer(token1, recipient, amount1);
        emit Collect(msg.sender, recipient, tickLower, tickUpper, amount0, amount1);
    }

    /// What the pool is owed (positive) or owes (negative) for the change, and the change itself.
    function _changePosition(
        address owner,
        int24 tickLower,
        int24 tickUpper,
        int128 delta
    ) private returns (int256 amount0, int256 amount1) {
        require(tickLower < tickUpper, "TLU");
        require(tickLower >= TickMath.MIN_TICK, "TLM");
        require(tickUpper <= TickMath.MAX_TICK, "TUM");
        int24 tick = slot0.tick;
        _updatePosition(owner, tickLower, tickUpper, delta);
        if (delta == 0) return (0, 0);
        uint160 sqrtLower = TickMath.getSqrtRatioAtTick(tickLower);
        uint160 sqrtUpper = TickMath.getSqrtRatioAtTick(tickUpper);
        if (tick < tickLower) return (SqrtPriceMath.getAmount0Delta(sqrtLower, sqrtUpper, delta), 0);
        if (tick >= tickUpper) return (0, SqrtPriceMath.getAmount1Delta(sqrtLower, sqrtUpper, delta));
        _writeObservation(tick);
        uint160 sqrtPriceX96 = slot0.sqrtPriceX96;
        amount0 = SqrtPriceMath.getAmount0Delta(sqrtPriceX96, sqrtUpper, delta);
        amount1 = SqrtPriceMath.getAmount1Delta(sqrtLower, sqrtPriceX96, delta);
        liquidity = LiquidityMath.addDelta(liquidity, delta);
    }

    function _updatePosition(address owner, int24 tickLower, int24 tickUpper, int128 delta) private {
        bool flippedLower;
        bool flippedUpper;
        if (delta != 0) {
            (int56 cumulative, uint160 perLiquidity) = _observeNow();
            flippedLower = _updateTick(tickLower, delta, perLiquidity, cumulative, false);
            flippedUpper = _updateTick(tickUpper, delta, perLiquidity, cumulative, true);
            if (flippedLower) tickBitmap.flipTick(tickLower, tickSpacing);
            if (flippedUpper) tickBitmap.flipTick(tickUpper, tickSpacing);
        }
        (uint256 inside0, uint256 inside1) = ticks.getFeeGrowthInside(
            tickLower,
            tickUpper,
            slot0.tick,
            feeGrowthGlobal0X128,
            feeGrowthGlobal1X128
        );
        positions.get(owner, tickLower, tickUpper).update(delta, inside0, inside1);
        if (delta < 0) {
            if (flippedLower) ticks.clear(tickLower);
            if (flippedUpper) ticks.clear(tickUpper);
        }
    }

    function _updateTick(
        int24 tick,
        int128 delta,
        uint160 perLiquidity,
        int56 cumulative,
        bool upper
    ) private returns (bool) {
        return
            ticks.update(
                tick,
                slot0.tick,
                delta,
                feeGrowthGlobal0X128,
                feeGrowthGlobal1X128,
                perLiquidity,
                cumulative,
                _now(),
                upper,
                maxLiquidityPerTick
            );
    }

    function _observeNow() internal view returns (int56, uint160) {
        Slot0 memory s = slot0;
        return observations.observeSingle(_now(), 0, s.tick, s.observationIndex, liquidity, s.observationCardinality);
    }

    function _writeObservation(int24 tick) internal {
        Slot0 memory s = slot0;
        (slot0.observationIndex, slot0.observationCardinality) = observations.write(
            s.observationIndex,
            _now(),
            tick,
            liquidity,
            s.observationCardinality,
            s.observationCardinalityNext
        );
    }
}
