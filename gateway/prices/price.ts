// What one token was worth in USD at a block: the type that all who value things share, and its arithmetic. Values stay
// integers until they are shown.
import { USD_DECIMALS } from "../../core/prices/usd.ts";
import type { OperationContext } from "../context.ts";
import type { BlockPoint } from "../ledger/point.ts";
import { toNearestDouble } from "../numbers.ts";
import type { Address } from "../parameters.ts";
import { priceBook } from "./price-book.ts";

export { USD_DECIMALS } from "../../core/prices/usd.ts";

/** USD are counted in units of 10^-36: whole USD × `USD_SCALE`. */
export const USD_SCALE: bigint = 10n ** BigInt(USD_DECIMALS);

/**
 * - `fixed`: the chain file says so. `pool`: mean of the pools between it and a fixed one.
 * - `vault`: a share, worth what stands behind it. `curve`: what the launch curve asks at the block.
 */
export type PriceStrategy = "fixed" | "pool" | "vault" | "curve";

export interface TokenPrice {
  strategy: PriceStrategy;
  /** USD of one whole token × {@link USD_SCALE}, rounded down; above zero. */
  usd: bigint;
  /** Of `pool`: the pools from the fixed token to this one. Otherwise empty. */
  path: readonly Address[];
}

/**
 * Prices of `tokens`, or of all that have one, at the end of the block. A token without a price is missing in the map:
 * it is worth an unknown amount, not nothing. Worked out for all tokens at once and kept, so asking twice costs nothing.
 * @throws UnavailableError while a share's backing cannot be told yet
 */
export async function pricesAt(
  context: OperationContext,
  point: BlockPoint,
  tokens: readonly Address[] | "all",
): Promise<ReadonlyMap<Address, TokenPrice>> {
  const { prices } = await priceBook(context, point);
  if (tokens === "all") return prices;
  return new Map(
    tokens.flatMap((token) => {
      const price = prices.get(token);
      return price ? [[token, price] as const] : [];
    }),
  );
}

/** What one whole supply of a share can be exchanged for, raw units of each token; see {@link shareBackings}. */
export interface ShareBacking {
  share: Address;
  /** Raw units of the share. */
  supply: bigint;
  parts: readonly { token: Address; amount: bigint }[];
}

/**
 * What stands behind every share of pairs, islands and vaults at the block, one level deep: `parts` may be shares again.
 * Those that cannot be told are missing.
 */
export async function shareBackings(
  context: OperationContext,
  point: BlockPoint,
): Promise<ReadonlyMap<Address, ShareBacking>> {
  return (await priceBook(context, point)).backings;
}

/**
 * For each unpriced share among `shares` the tokens for whose price it waits, ascending: those at the end of its
 * backing, not the shares in between. Shares with a price, and what is no share, are missing.
 */
export async function unpricedBehind(
  context: OperationContext,
  point: BlockPoint,
  shares: readonly Address[],
): Promise<ReadonlyMap<Address, readonly Address[]>> {
  const { unpriced } = await priceBook(context, point);
  return new Map(
    shares.flatMap((share) => {
      const missing = unpriced.get(share);
      return missing ? [[share, missing] as const] : [];
    }),
  );
}

/** USD × {@link USD_SCALE} of `rawAmount` smallest units, rounded down. */
export const usdValue = (price: Pick<TokenPrice, "usd">, rawAmount: bigint, decimals: number): bigint =>
  (price.usd * rawAmount) / 10n ** BigInt(decimals);

/** The nearest double of USD × {@link USD_SCALE}: the last step before an answer is written. */
export const toUsdNumber = (usd: bigint): number => toNearestDouble(usd, USD_DECIMALS);
