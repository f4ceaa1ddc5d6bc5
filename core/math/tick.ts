// Fee growth inside a range.
// v3-core contracts/libraries/Tick.sol
import { Q128 } from "./fixed-point.ts";

/** Fees per unit of liquidity (Q128.128) since the pool began, per token. Wraps at 2^256: only differences mean anything. */
export interface FeeGrowth {
  feeGrowth0X128: bigint;
  feeGrowth1X128: bigint;
}

export interface TickGrowth {
  tick: number;
  feeGrowthOutside0X128: bigint;
  feeGrowthOutside1X128: bigint;
}

export interface PoolGrowth {
  tick: number;
  feeGrowthGlobal0X128: bigint;
  feeGrowthGlobal1X128: bigint;
}

/** `Tick.getFeeGrowthInside`: growth between two ticks, modulo 2^256 as in the contract. */
export function getFeeGrowthInside(lower: TickGrowth, upper: TickGrowth, pool: PoolGrowth): FeeGrowth {
  const isAboveLower = pool.tick >= lower.tick;
  const isBelowUpper = pool.tick < upper.tick;
  const global0 = pool.feeGrowthGlobal0X128;
  const global1 = pool.feeGrowthGlobal1X128;
  const below0 = isAboveLower ? lower.feeGrowthOutside0X128 : global0 - lower.feeGrowthOutside0X128;
  const below1 = isAboveLower ? lower.feeGrowthOutside1X128 : global1 - lower.feeGrowthOutside1X128;
  const above0 = isBelowUpper ? upper.feeGrowthOutside0X128 : global0 - upper.feeGrowthOutside0X128;
  const above1 = isBelowUpper ? upper.feeGrowthOutside1X128 : global1 - upper.feeGrowthOutside1X128;
  return {
    feeGrowth0X128: BigInt.asUintN(256, global0 - below0 - above0),
    feeGrowth1X128: BigInt.asUintN(256, global1 - below1 - above1),
  };
}

/**
 * Fees that `liquidity` earned while growth inside went from `last` to `now`, rounded down and cut to 128 bits as in
 * v3-core contracts/libraries/Position.sol `update` and v3-periphery contracts/NonfungiblePositionManager.sol.
 */
export const feesEarnedRoundingDown = (now: bigint, last: bigint, liquidity: bigint): bigint =>
  BigInt.asUintN(128, uncutFeesRoundingDown(now, last, liquidity));

/** The same before it is cut, as contracts with 256 bits for it count. */
export const uncutFeesRoundingDown = (now: bigint, last: bigint, liquidity: bigint): bigint =>
  (BigInt.asUintN(256, now - last) * liquidity) / Q128;
