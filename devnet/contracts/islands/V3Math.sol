// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Full-width multiplication and the price arithmetic of concentrated liquidity, rounded as Uniswap v3 rounds.
library V3Math {
    /// floor(a * b / denominator) with a 512-bit product; reverts if the result does not fit.
    function mulDiv(uint256 a, uint256 b, uint256 denominator) internal pure returns (uint256 result) {
        unchecked {
            uint256 low = a * b;
            uint256 high;
            assembly {
                let mm := mulmod(a, b, not(0))
                high := sub(sub(mm, low), lt(mm, low))
            }
            if (high == 0) return low / denominator;
            require(denominator > high, "mulDiv");
            uint256 remainder = mulmod(a, b, denominator);
            if (remainder > low) high--;
            low -= remainder;
            uint256 twos = denominator & (~denominator + 1);
            denominator /= twos;
            low /= twos;
            low |= high * ((~twos + 1) / twos + 1);
            // Newton's iteration doubles the correct bits of the inverse modulo 2^256 each time, from 4 to 256.
            uint256 inverse = (3 * denominator) ^ 2;
            for (uint256 i = 0; i < 6; i++) inverse *= 2 - denominator * inverse;
            result = low * inverse;
        }
    }

    function mulDivUp(uint256 a, uint256 b, uint256 denominator) internal pure returns (uint256 result) {
        result = mulDiv(a, b, denominator);
        if (mulmod(a, b, denominator) > 0) result++;
    }

    /// sqrt(1.0001^tick) as Q64.96, rounded up, from the binary digits of |tick|.
    function sqrtRatioAtTick(int24 tick) internal pure returns (uint160) {
        uint256 digits = uint256(int256(tick < 0 ? -int256(tick) : int256(tick)));
        require(digits <= 887272, "T");
        // 1 / sqrt(1.0001)^(2^i) as Q128.128
        uint256[20] memory factor = [
            uint256(0xfffcb933bd6fad37aa2d162d1a594001),
            0xfff97272373d413259a46990580e213a,
            0xfff2e50f5f656932ef12357cf3c7fdcc,
            0xffe5caca7e10e4e61c3624eaa0941cd0,
            0xffcb9843d60f6159c9db58835c926644,
            0xff973b41fa98c081472e6896dfb254c0,
            0xff2ea16466c96a3843ec78b326b52861,
            0xfe5dee046a99a2a811c461f1969c3053,
            0xfcbe86c7900a88aedcffc83b479aa3a4,
            0xf987a7253ac413176f2b074cf7815e54,
            0xf3392b0822b70005940c7a398e4b70f3,
            0xe7159475a2c29b7443b29c7fa6e889d9,
            0xd097f3bdfd2022b8845ad8f792aa5825,
            0xa9f746462d870fdf8a65dc1f90e061e5,
            0x70d869a156d2a1b890bb3df62baf32f7,
            0x31be135f97d08fd981231505542fcfa6,
            0x9aa508b5b7a84e1c677de54f3e99bc9,
            0x5d6af8dedb81196699c329225ee604,
            0x2216e584f5fa1ea926041bedfe98,
            0x48a170391f7dc42444e8fa2
        ];
        uint256 ratio = 1 << 128;
        for (uint256 i = 0; i < 20; i++) if ((digits >> i) & 1 == 1) ratio = (ratio * factor[i]) >> 128;
        if (tick > 0) ratio = type(uint256).max / ratio;
        return uint160((ratio >> 32) + (ratio % (1 << 32) == 0 ? 0 : 1));
    }

    function amountsForLiquidity(
        uint160 sqrtP,
        uint160 sqrtA,
        uint160 sqrtB,
        uint128 liquidity
    ) internal pure returns (uint256 amount0, uint256 amount1) {
        if (sqrtP < sqrtB) {
            uint160 from = sqrtP > sqrtA ? sqrtP : sqrtA;
            amount0 = mulDiv(uint256(liquidity) << 96, sqrtB - from, sqrtB) / from;
        }
        if (sqrtP > sqrtA) amount1 = mulDiv(liquidity, (sqrtP < sqrtB ? sqrtP : sqrtB) - sqrtA, 1 << 96);
    }

    function liquidityForAmounts(
        uint160 sqrtP,
        uint160 sqrtA,
        uint160 sqrtB,
        uint256 amount0,
        uint256 amount1
    ) internal pure returns (uint128) {
        if (sqrtP <= sqrtA) return liquidityForAmount0(sqrtA, sqrtB, amount0);
        if (sqrtP >= sqrtB) return liquidityForAmount1(sqrtA, sqrtB, amount1);
        uint128 liquidity0 = liquidityForAmount0(sqrtP, sqrtB, amount0);
        uint128 liquidity1 = liquidityForAmount1(sqrtA, sqrtP, amount1);
        return liquidity0 < liquidity1 ? liquidity0 : liquidity1;
    }

    function liquidityForAmount0(uint160 sqrtA, uint160 sqrtB, uint256 amount0) internal pure returns (uint128) {
        return toUint128(mulDiv(amount0, mulDiv(sqrtA, sqrtB, 1 << 96), sqrtB - sqrtA));
    }

    function liquidityForAmount1(uint160 sqrtA, uint160 sqrtB, uint256 amount1) internal pure returns (uint128) {
        return toUint128(mulDiv(amount1, 1 << 96, sqrtB - sqrtA));
    }

    function toUint128(uint256 value) internal pure returns (uint128) {
        require(value <= type(uint128).max, "uint128");
        return uint128(value);
    }
}
