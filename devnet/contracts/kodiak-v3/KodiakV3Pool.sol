// SPDX-License-Identifier: GPL-2.0-or-later
pragma solidity =0.7.6;

import "@uniswap/v3-core/contracts/interfaces/callback/IUniswapV3FlashCallback.sol";
import "@uniswap/v3-core/contracts/interfaces/callback/IUniswapV3SwapCallback.sol";
import "@uniswap/v3-core/contracts/libraries/FixedPoint128.sol";
import "@uniswap/v3-core/contracts/libraries/FullMath.sol";
import "@uniswap/v3-core/contracts/libraries/SwapMath.sol";
import "./KodiakV3Positions.sol";

/// Swaps and flashes over Uniswap's own libraries. Its share of fees counts in 1/10,000 and is told by
/// `ProtocolFeesEarned` just before each `Swap` that pays one.
contract KodiakV3Pool is KodiakV3Positions {
    using LowGasSafeMath for uint256;
    using LowGasSafeMath for int256;
    using SafeCast for uint256;
    using Tick for mapping(int24 => Tick.Info);
    using TickBitmap for mapping(int16 => uint256);

    /// A swap under way.
    struct Trade {
        bool zeroForOne;
        bool exactInput;
        int256 remaining;
        int256 calculated;
        uint160 sqrtPriceX96;
        uint160 limitX96;
        int24 tick;
        uint128 liquidity;
        uint256 feeGrowthGlobalX128;
        uint128 protocolFee;
        uint32 feeProtocol;
        bool observed;
        int56 tickCumulative;
        uint160 secondsPerLiquidityX128;
    }

    /// From one price to the next initialized tick, the edge of the bitmap's word, or the limit.
    struct Step {
        uint160 startX96;
        uint160 nextX96;
        int24 tickNext;
        bool initialized;
        uint256 amountIn;
        uint256 amountOut;
        uint256 feeAmount;
    }

    function swap(
        address recipient,
        bool zeroForOne,
        int256 amountSpecified,
        uint160 sqrtPriceLimitX96,
        bytes calldata data
    ) external lock returns (int256 amount0, int256 amount1) {
        Trade memory trade = _startTrade(zeroForOne, amountSpecified, sqrtPriceLimitX96);
        int24 tickBefore = trade.tick;
        while (trade.remaining != 0 && trade.sqrtPriceX96 != trade.limitX96) _takeStep(trade);
        _settleTrade(trade, tickBefore);
        int256 used = amountSpecified - trade.remaining;
        (amount0, amount1) = zeroForOne == trade.exactInput ? (used, trade.calculated) : (trade.calculated, used);
        if (zeroForOne) {
            if (amount1 < 0) TransferHelper.safeTransfer(token1, recipient, uint256(-amount1));
            uint256 before = _held(token0);
            IUniswapV3SwapCallback(msg.sender).uniswapV3SwapCallback(amount0, amount1, data);
            require(before.add(uint256(amount0)) <= _held(token0), "IIA");
        } else {
            if (amount0 < 0) TransferHelper.safeTransfer(token0, recipient, uint256(-amount0));
            uint256 before = _held(token1);
            IUniswapV3SwapCallback(msg.sender).uniswapV3SwapCallback(amount0, amount1, data);
            require(before.add(uint256(amount1)) <= _held(token1), "IIA");
        }
        if (trade.protocolFee > 0)
            emit ProtocolFeesEarned(zeroForOne ? trade.protocolFee : 0, zeroForOne ? 0 : trade.protocolFee);
        emit Swap(msg.sender, recipient, amount0, amount1, trade.sqrtPriceX96, trade.liquidity, trade.tick);
    }

    function flash(address recipient, uint256 amount0, uint256 amount1, bytes calldata data) external lock {
        require(liquidity > 0, "L");
        uint256 before0 = _held(token0);
        uint256 before1 = _held(token1);
        uint256 fee0 = FullMath.mulDivRoundingUp(amount0, fee, 1e6);
        uint256 fee1 = FullMath.mulDivRoundingUp(amount1, fee, 1e6);
        if (amount0 > 0) TransferHelper.safeTransfer(token0, recipient, amount0);
        if (amount1 > 0) TransferHelper.safeTransfer(token1, recipient, amount1);
        IUniswapV3FlashCallback(msg.sender).uniswapV3FlashCallback(fee0, fee1, data);
        require(before0.add(fee0) <= _held(token0), "F0");
        require(before1.add(fee1) <= _held(token1), "F1");
        uint256 paid0 = _held(token0) - before0;
        uint256 paid1 = _held(token1) - before1;
        if (paid0 > 0) {
            uint256 share = paid0.mul(slot0.feeProtocol % 65536) / 10000;
            protocolFees.token0 += uint128(share);
            feeGrowthGlobal0X128 += FullMath.mulDiv(paid0 - share, FixedPoint128.Q128, liquidity);
        }
        if (paid1 > 0) {
            uint256 share = paid1.mul(slot0.feeProtocol >> 16) / 10000;
            protocolFees.token1 += uint128(share);
            feeGrowthGlobal1X128 += FullMath.mulDiv(paid1 - share, FixedPoint128.Q128, liquidity);
        }
        emit Flash(msg.sender, recipient, amount0, amount1, paid0, paid1);
    }

    function _startTrade(bool zeroForOne, int256 amount, uint160 limitX96) private view returns (Trade memory trade) {
        require(amount != 0, "AS");
        Slot0 memory start = slot0;
        require(
            zeroForOne
                ? limitX96 < start.sqrtPriceX96 && limitX96 > TickMath.MIN_SQRT_RATIO
                : limitX96 > start.sqrtPriceX96 && limitX96 < TickMath.MAX_SQRT_RATIO,
            "SPL"
        );
        trade.zeroForOne = zeroForOne;
        trade.exactInput = amount > 0;
        trade.remaining = amount;
        trade.sqrtPriceX96 = start.sqrtPriceX96;
        trade.limitX96 = limitX96;
        trade.tick = start.tick;
        trade.liquidity = liquidity;
        trade.feeGrowthGlobalX128 = zeroForOne ? feeGrowthGlobal0X128 : feeGrowthGlobal1X128;
        trade.feeProtocol = zeroForOne ? start.feeProtocol % 65536 : start.feeProtocol >> 16;
    }

    function _takeStep(Trade memory trade) private {
        Step memory step;
        step.startX96 = trade.sqrtPriceX96;
        (step.tickNext, step.initialized) = tickBitmap.nextInitializedTickWithinOneWord(
            trade.tick,
            tickSpacing,
            trade.zeroForOne
        );
        if (step.tickNext < TickMath.MIN_TICK) step.tickNext = TickMath.MIN_TICK;
        else if (step.tickNext > TickMath.MAX_TICK) step.tickNext = TickMath.MAX_TICK;
        step.nextX96 = TickMath.getSqrtRatioAtTick(step.tickNext);
        bool limited = trade.zeroForOne ? step.nextX96 < trade.limitX96 : step.nextX96 > trade.limitX96;
        (trade.sqrtPriceX96, step.amountIn, step.amountOut, step.feeAmount) = SwapMath.computeSwapStep(
            trade.sqrtPriceX96,
            limited ? trade.limitX96 : step.nextX96,
            trade.liquidity,
            trade.remaining,
            fee
        );
        if (trade.exactInput) {
            trade.remaining -= (step.amountIn + step.feeAmount).toInt256();
            trade.calculated = trade.calculated.sub(step.amountOut.toInt256());
        } else {
            trade.remaining += step.amountOut.toInt256();
            trade.calculated = trade.calculated.add((step.amountIn + step.feeAmount).toInt256());
        }
        if (trade.feeProtocol > 0) {
            uint256 share = step.feeAmount.mul(trade.feeProtocol) / 10000;
            step.feeAmount -= share;
            trade.protocolFee += uint128(share);
        }
        if (trade.liquidity > 0)
            trade.feeGrowthGlobalX128 += FullMath.mulDiv(step.feeAmount, FixedPoint128.Q128, trade.liquidity);
        if (trade.sqrtPriceX96 == step.nextX96) {
            if (step.initialized) _crossTick(trade, step.tickNext);
            trade.tick = trade.zeroForOne ? step.tickNext - 1 : step.tickNext;
        } else if (trade.sqrtPriceX96 != step.startX96) {
            trade.tick = TickMath.getTickAtSqrtRatio(trade.sqrtPriceX96);
        }
    }

    function _crossTick(Trade memory trade, int24 tick) private {
        if (!trade.observed) {
            (trade.tickCumulative, trade.secondsPerLiquidityX128) = _observeNow();
            trade.observed = true;
        }
        int128 net = ticks.cross(
            tick,
            trade.zeroForOne ? trade.feeGrowthGlobalX128 : feeGrowthGlobal0X128,
            trade.zeroForOne ? feeGrowthGlobal1X128 : trade.feeGrowthGlobalX128,
            trade.secondsPerLiquidityX128,
            trade.tickCumulative,
            _now()
        );
        trade.liquidity = LiquidityMath.addDelta(trade.liquidity, trade.zeroForOne ? -net : net);
    }

    function _settleTrade(Trade memory trade, int24 tickBefore) private {
        if (trade.tick != tickBefore) _writeObservation(tickBefore);
        slot0.sqrtPriceX96 = trade.sqrtPriceX96;
        slot0.tick = trade.tick;
        liquidity = trade.liquidity;
        if (trade.zeroForOne) {
            feeGrowthGlobal0X128 = trade.feeGrowthGlobalX128;
            protocolFees.token0 += trade.protocolFee;
        } else {
            feeGrowthGlobal1X128 = trade.feeGrowthGlobalX128;
            protocolFees.token1 += trade.protocolFee;
        }
    }
}
