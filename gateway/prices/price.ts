// What one token was worth in USD at a block: the type that all code shares which values something, and its arithmetic. Values are
// integers, USD × 10^36, until they are shown.
import { USD_DECIMALS } from "../../core/prices/usd.ts";
import { decimalOf, toNearestDouble } from "../numbers.ts";
import type { Address } from "../parameters.ts";

export { USD_DECIMALS } from "../../core/prices/usd.ts";

/**
 * - `fixed`: the chain file says so. `pool`: mean of the pools between it and a fixed one.
 * - `vault`: a share, worth what stands behind it. `curve`: the price of the launch curve at the block.
 */
export type PriceStrategy = "fixed" | "pool" | "vault" | "curve";

export interface TokenPrice {
  strategy: PriceStrategy;
  /** USD of one whole token × 10^36, rounded down; above zero. */
  usd: bigint;
  /** Of `pool`: the pools from the fixed token to this one. Otherwise empty. */
  path: readonly Address[];
}

/** USD × 10^36 of `rawAmount` smallest units, rounded down. */
export const usdValue = (price: Pick<TokenPrice, "usd">, rawAmount: bigint, decimals: number): bigint =>
  (price.usd * rawAmount) / 10n ** BigInt(decimals);

/** The nearest double of USD × 10^36: the last step before an answer is written. */
export const toUsdNumber = (usd: bigint | undefined): number | null =>
  usd === undefined ? null : toNearestDouble(usd, USD_DECIMALS);

/** The same, exact. */
export const toUsdDecimal = (usd: bigint | undefined): string | null => decimalOf(usd, USD_DECIMALS);
