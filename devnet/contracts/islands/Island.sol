// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import "./IslandShares.sol";
import "./V3Math.sol";

/// Shares over one v3 position held in the pool under the island's own address, plus what lies idle beside it.
contract Island is IslandShares {
    event Minted(
        address receiver,
        uint256 mintAmount,
        uint256 amount0In,
        uint256 amount1In,
        uint128 liquidityMinted
    );
    event Burned(
        address receiver,
        uint256 burnAmount,
        uint256 amount0Out,
        uint256 amount1Out,
        uint128 liquidityBurned
    );
    event Rebalance(
        address indexed compounder,
        int24 lowerTick_,
        int24 upperTick_,
        uint128 liquidityBefore,
        uint128 liquidityAfter
    );
    event FeesEarned(uint256 feesEarned0, uint256 feesEarned1);

    uint256 private constant DEAD_SHARES = 1000;

    /// `mintAmount` of a first mint is the liquidity to provide; 1,000 of those shares stay with the zero address.
    function mint(
        uint256 mintAmount,
        address receiver
    ) external guarded returns (uint256 amount0, uint256 amount1, uint128 liquidityMinted) {
        require(mintAmount > 0, "mint 0");
        require(!restrictedMint || msg.sender == manager, "restricted");
        (uint160 sqrtP, , , , , , ) = pool.slot0();
        (uint160 sqrtA, uint160 sqrtB) = _sqrtBounds();
        uint256 supply = totalSupply;
        if (supply > 0) {
            (uint256 current0, uint256 current1) = getUnderlyingBalances();
            amount0 = V3Math.mulDivUp(current0, mintAmount, supply);
            amount1 = V3Math.mulDivUp(current1, mintAmount, supply);
        } else {
            require(mintAmount > DEAD_SHARES, "first mint");
            (amount0, amount1) = V3Math.amountsForLiquidity(sqrtP, sqrtA, sqrtB, V3Math.toUint128(mintAmount));
            _mint(address(0), DEAD_SHARES);
            mintAmount -= DEAD_SHARES;
        }
        if (amount0 > 0) TokenTransfers.pull(token0, msg.sender, address(this), amount0);
        if (amount1 > 0) TokenTransfers.pull(token1, msg.sender, address(this), amount1);
        liquidityMinted = V3Math.liquidityForAmounts(sqrtP, sqrtA, sqrtB, amount0, amount1);
        if (liquidityMinted > 0) pool.mint(address(this), lowerTick, upperTick, liquidityMinted, "");
        _mint(receiver, mintAmount);
        emit Minted(receiver, mintAmount, amount0, amount1, liquidityMinted);
    }

    /// Pays the share of liquidity and of what lies idle after all fees are collected, the manager's balance apart.
    function burn(
        uint256 burnAmount,
        address receiver
    ) external guarded returns (uint256 amount0, uint256 amount1, uint128 liquidityBurned) {
        require(burnAmount > 0, "burn 0");
        uint256 supply = totalSupply;
        (uint128 liquidity, , , , ) = pool.positions(getPositionID());
        _burn(msg.sender, burnAmount);
        liquidityBurned = V3Math.toUint128(V3Math.mulDiv(burnAmount, liquidity, supply));
        (uint256 burn0, uint256 burn1) = _withdraw(liquidityBurned);
        uint256 idle0 = TokenTransfers.held(token0, address(this)) - burn0 - managerBalance0;
        uint256 idle1 = TokenTransfers.held(token1, address(this)) - burn1 - managerBalance1;
        amount0 = burn0 + V3Math.mulDiv(idle0, burnAmount, supply);
        amount1 = burn1 + V3Math.mulDiv(idle1, burnAmount, supply);
        if (amount0 > 0) TokenTransfers.send(token0, receiver, amount0);
        if (amount1 > 0) TokenTransfers.send(token1, receiver, amount1);
        emit Burned(receiver, burnAmount, amount0, amount1, liquidityBurned);
    }

    /// Puts collected fees and idle tokens back to work at the same ticks. Anyone may.
    function rebalance() external guarded {
        (uint128 liquidityBefore, , , , ) = pool.positions(getPositionID());
        require(liquidityBefore > 0, "no liquidity");
        _withdraw(liquidityBefore);
        _depositIdle();
        (uint128 liquidityAfter, , , , ) = pool.positions(getPositionID());
        require(liquidityAfter > liquidityBefore, "nothing to compound");
        emit Rebalance(msg.sender, lowerTick, upperTick, liquidityBefore, liquidityAfter);
    }

    /// Moves the position to new ticks, swapping `swapAmountBPS` of the idle input token in the pool between two deposits.
    function executiveRebalance(
        int24 newLowerTick,
        int24 newUpperTick,
        uint160 swapThresholdPrice,
        uint256 swapAmountBPS,
        bool zeroForOne
    ) external onlyManager guarded {
        int24 spacing = pool.tickSpacing();
        require(newLowerTick < newUpperTick && newLowerTick % spacing == 0 && newUpperTick % spacing == 0, "ticks");
        (uint128 liquidityBefore, , , , ) = pool.positions(getPositionID());
        if (liquidityBefore > 0) _withdraw(liquidityBefore);
        lowerTick = newLowerTick;
        upperTick = newUpperTick;
        _depositIdle();
        if (swapAmountBPS > 0) {
            (uint256 idle0, uint256 idle1) = _idle();
            int256 amount = int256(((zeroForOne ? idle0 : idle1) * swapAmountBPS) / 10000);
            if (amount > 0) pool.swap(address(this), zeroForOne, amount, swapThresholdPrice, "");
            _depositIdle();
        }
        (uint128 liquidityAfter, , , , ) = pool.positions(getPositionID());
        emit Rebalance(msg.sender, newLowerTick, newUpperTick, liquidityBefore, liquidityAfter);
    }

    function uniswapV3MintCallback(uint256 owed0, uint256 owed1, bytes calldata) external {
        require(msg.sender == address(pool), "pool");
        if (owed0 > 0) TokenTransfers.send(token0, msg.sender, owed0);
        if (owed1 > 0) TokenTransfers.send(token1, msg.sender, owed1);
    }

    function uniswapV3SwapCallback(int256 delta0, int256 delta1, bytes calldata) external {
        require(msg.sender == address(pool), "pool");
        if (delta0 > 0) TokenTransfers.send(token0, msg.sender, uint256(delta0));
        if (delta1 > 0) TokenTransfers.send(token1, msg.sender, uint256(delta1));
    }

    /// Largest mint whose amounts stay within both maxima, and those amounts.
    function getMintAmounts(
        uint256 amount0Max,
        uint256 amount1Max
    ) external view returns (uint256 amount0, uint256 amount1, uint256 mintAmount) {
        uint256 supply = totalSupply;
        if (supply == 0) {
            (uint160 sqrtP, , , , , , ) = pool.slot0();
            (uint160 sqrtA, uint160 sqrtB) = _sqrtBounds();
            uint128 liquidity = V3Math.liquidityForAmounts(sqrtP, sqrtA, sqrtB, amount0Max, amount1Max);
            mintAmount = liquidity;
            (amount0, amount1) = V3Math.amountsForLiquidity(sqrtP, sqrtA, sqrtB, liquidity);
        } else {
            (uint256 current0, uint256 current1) = getUnderlyingBalances();
            mintAmount = type(uint256).max;
            if (current0 > 0) mintAmount = V3Math.mulDiv(amount0Max, supply, current0);
            if (current1 > 0) {
                uint256 by1 = V3Math.mulDiv(amount1Max, supply, current1);
                if (by1 < mintAmount) mintAmount = by1;
            }
            require(mintAmount > 0 && mintAmount < type(uint256).max, "mint 0");
            amount0 = V3Math.mulDivUp(current0, mintAmount, supply);
            amount1 = V3Math.mulDivUp(current1, mintAmount, supply);
        }
    }

    function getUnderlyingBalances() public view returns (uint256 amount0, uint256 amount1) {
        (uint160 sqrtP, int24 tick, , , , , ) = pool.slot0();
        return _underlying(sqrtP, tick);
    }

    /// The same balances as if the pool stood at another price; fees stay those of the present tick.
    function getUnderlyingBalancesAtPrice(uint160 sqrtP) external view returns (uint256 amount0, uint256 amount1) {
        (, int24 tick, , , , , ) = pool.slot0();
        return _underlying(sqrtP, tick);
    }

    function getPositionID() public view returns (bytes32) {
        return keccak256(abi.encodePacked(address(this), lowerTick, upperTick));
    }

    /// Geometric mean of the pool's price over the last `interval` seconds, as a square root in Q64.96.
    function getAvgPrice(uint32 interval) external view returns (uint160) {
        uint32[] memory secondsAgos = new uint32[](2);
        secondsAgos[0] = interval;
        (int56[] memory cumulatives, ) = pool.observe(secondsAgos);
        return V3Math.sqrtRatioAtTick(int24((cumulatives[1] - cumulatives[0]) / int56(uint56(interval))));
    }

    function _underlying(uint160 sqrtP, int24 tick) private view returns (uint256 amount0, uint256 amount1) {
        (uint128 liquidity, uint256 last0, uint256 last1, uint128 owed0, uint128 owed1) = pool.positions(
            getPositionID()
        );
        (uint160 sqrtA, uint160 sqrtB) = _sqrtBounds();
        (amount0, amount1) = V3Math.amountsForLiquidity(sqrtP, sqrtA, sqrtB, liquidity);
        uint256 fee0 = _uncollected(true, last0, tick, liquidity) + owed0;
        uint256 fee1 = _uncollected(false, last1, tick, liquidity) + owed1;
        (uint256 idle0, uint256 idle1) = _idle();
        amount0 += fee0 - (fee0 * managerFeeBPS) / 10000 + idle0;
        amount1 += fee1 - (fee1 * managerFeeBPS) / 10000 + idle1;
    }

    function _uncollected(bool zero, uint256 last, int24 tick, uint128 liquidity) private view returns (uint256) {
        uint256 below = _growthOutside(zero, lowerTick);
        uint256 above = _growthOutside(zero, upperTick);
        uint256 global = zero ? pool.feeGrowthGlobal0X128() : pool.feeGrowthGlobal1X128();
        unchecked {
            if (tick < lowerTick) below = global - below;
            if (tick >= upperTick) above = global - above;
            return V3Math.mulDiv(liquidity, global - below - above - last, 1 << 128);
        }
    }

    function _growthOutside(bool zero, int24 tick) private view returns (uint256) {
        (, , uint256 outside0, uint256 outside1, , , , ) = pool.ticks(tick);
        return zero ? outside0 : outside1;
    }

    /// Burns liquidity, collects everything owed and books the manager's part of the fees.
    function _withdraw(uint128 liquidity) private returns (uint256 burn0, uint256 burn1) {
        uint256 before0 = TokenTransfers.held(token0, address(this));
        uint256 before1 = TokenTransfers.held(token1, address(this));
        (burn0, burn1) = pool.burn(lowerTick, upperTick, liquidity);
        pool.collect(address(this), lowerTick, upperTick, type(uint128).max, type(uint128).max);
        uint256 fee0 = TokenTransfers.held(token0, address(this)) - before0 - burn0;
        uint256 fee1 = TokenTransfers.held(token1, address(this)) - before1 - burn1;
        uint256 managers0 = (fee0 * managerFeeBPS) / 10000;
        uint256 managers1 = (fee1 * managerFeeBPS) / 10000;
        managerBalance0 += managers0;
        managerBalance1 += managers1;
        emit FeesEarned(fee0 - managers0, fee1 - managers1);
    }

    function _depositIdle() private {
        (uint256 idle0, uint256 idle1) = _idle();
        (uint160 sqrtP, , , , , , ) = pool.slot0();
        (uint160 sqrtA, uint160 sqrtB) = _sqrtBounds();
        uint128 liquidity = V3Math.liquidityForAmounts(sqrtP, sqrtA, sqrtB, idle0, idle1);
        if (liquidity > 0) pool.mint(address(this), lowerTick, upperTick, liquidity, "");
    }

    function _idle() private view returns (uint256 idle0, uint256 idle1) {
        idle0 = TokenTransfers.held(token0, address(this)) - managerBalance0;
        idle1 = TokenTransfers.held(token1, address(this)) - managerBalance1;
    }

    function _sqrtBounds() private view returns (uint160, uint160) {
        return (V3Math.sqrtRatioAtTick(lowerTick), V3Math.sqrtRatioAtTick(upperTick));
    }
}
