// The fixed-point scales and integer widths of Uniswap v3.
// v3-core contracts/libraries/FixedPoint96.sol, FixedPoint128.sol

/** Bits behind the point of a square-root price (Q64.96). */
export const RESOLUTION = 96n;
/** 1.0 as a Q64.96 square-root price. */
export const Q96 = 1n << 96n;
/** 1.0 as a Q128.128 fee growth (token units per unit of liquidity). */
export const Q128 = 1n << 128n;

export const MAX_UINT128 = (1n << 128n) - 1n;
export const MAX_UINT160 = (1n << 160n) - 1n;
export const MAX_UINT256 = (1n << 256n) - 1n;
