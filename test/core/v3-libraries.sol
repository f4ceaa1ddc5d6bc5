// SPDX-License-Identifier: GPL-2.0-or-later
pragma solidity =0.7.6;
pragma abicoder v2;

import "@uniswap/v3-core/contracts/libraries/FixedPoint128.sol";
import "@uniswap/v3-core/contracts/libraries/FullMath.sol";
import "@uniswap/v3-core/contracts/libraries/LiquidityMath.sol";
import "@uniswap/v3-core/contracts/libraries/SqrtPriceMath.sol";
import "@uniswap/v3-core/contracts/libraries/SwapMath.sol";
import "@uniswap/v3-core/contracts/libraries/Tick.sol";
import "@uniswap/v3-core/contracts/libraries/TickBitmap.sol";
import "@uniswap/v3-core/contracts/libraries/TickMath.sol";
import "@uniswap/v3-periphery/contracts/libraries/LiquidityAmounts.sol";

/// Uniswap's own libraries, callable from outside and many times in one call.
contract V3Libraries {
    using TickBitmap for mapping(int16 => uint256);
    using Tick for mapping(int24 => Tick.Info);

    mapping(int16 => uint256) private bitmap;
    mapping(int24 => Tick.Info) private infos;

    function batch(bytes[] calldata calls) external returns (bool[] memory oks, bytes[] memory results) {
        oks = new bool[](calls.length);
        results = new bytes[](calls.length);
        for (uint256 i = 0; i < calls.length; i++) {
            (oks[i], results[i]) = address(this).call(calls[i]);
        }
    }

    function mulDiv(uint256 a, uint256 b, uint256 d) external pure returns (uint256) {
        return FullMath.mulDiv(a, b, d);
    }

    function mulDivRoundingUp(uint256 a, uint256 b, uint256 d) external pure returns (uint256) {
        return FullMath.mulDivRoundingUp(a, b, d);
    }

    function getSqrtRatioAtTick(int24 tick) external pure returns (uint160) {
        return TickMath.getSqrtRatioAtTick(tick);
    }

    function getTickAtSqrtRatio(uint160 price) external pure returns (int24) {
        return TickMath.getTickAtSqrtRatio(price);
    }

    function addDelta(uint128 x, int128 y) external pure returns (uint128) {
        return LiquidityMath.addDelta(x, y);
    }

    function getAmount0Delta(uint160 a, uint160 b, uint128 liquidity, bool roundUp) external pure returns (uint256) {
        return SqrtPriceMath.getAmount0Delta(a, b, liquidity, roundUp);
    }

    function getAmount1Delta(uint160 a, uint160 b, uint128 liquidity, bool roundUp) external pure returns (uint256) {
        return SqrtPriceMath.getAmount1Delta(a, b, liquidity, roundUp);
    }

    function getNextSqrtPriceFromInput(uint160 p, uint128 l, uint256 amount, bool down) external pure returns (uint160) {
        return SqrtPriceMath.getNextSqrtPriceFromInput(p, l, amount, down);
    }

    function getNextSqrtPriceFromOutput(uint160 p, uint128 l, uint256 amount, bool down) external pure returns (uint160) {
        return SqrtPriceMath.getNextSqrtPriceFromOutput(p, l, amount, down);
    }

    function computeSwapStep(
        uint160 current,
        uint160 target,
        uint128 liquidity,
        int256 remaining,
        uint24 fee
    ) external pure returns (uint160, uint256, uint256, uint256) {
        return SwapMath.computeSwapStep(current, target, liquidity, remaining, fee);
    }

    function getAmountsForLiquidity(
        uint160 price,
        uint160 a,
        uint160 b,
        uint128 liquidity
    ) external pure returns (uint256, uint256) {
        return LiquidityAmounts.getAmountsForLiquidity(price, a, b, liquidity);
    }

    function feesEarned(uint256 current, uint256 last, uint128 liquidity) external pure returns (uint128) {
        return uint128(FullMath.mulDiv(current - last, liquidity, FixedPoint128.Q128));
    }

    /// `growth`: global 0 and 1, outside lower 0 and 1, outside upper 0 and 1.
    function getFeeGrowthInside(
        int24 lower,
        int24 upper,
        int24 current,
        uint256[6] calldata growth
    ) external returns (uint256, uint256) {
        infos[lower].feeGrowthOutside0X128 = growth[2];
        infos[lower].feeGrowthOutside1X128 = growth[3];
        infos[upper].feeGrowthOutside0X128 = growth[4];
        infos[upper].feeGrowthOutside1X128 = growth[5];
        return infos.getFeeGrowthInside(lower, upper, current, growth[0], growth[1]);
    }

    /// `ticks` are initialised for this one search.
    function nextInitializedTick(
        int24[] calldata ticks,
        int24 tick,
        int24 tickSpacing,
        bool lte
    ) external returns (int24 next, bool initialized) {
        for (uint256 i = 0; i < ticks.length; i++) bitmap.flipTick(ticks[i], tickSpacing);
        (next, initialized) = bitmap.nextInitializedTickWithinOneWord(tick, tickSpacing, lte);
        for (uint256 i = 0; i < ticks.length; i++) bitmap.flipTick(ticks[i], tickSpacing);
    }
}
