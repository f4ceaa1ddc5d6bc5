// What tokens were worth in USD at a block, for all code that values something there.
import type { OperationContext } from "../context.ts";
import type { BlockPoint } from "../history/point.ts";
import type { Address } from "../parameters.ts";
import type { TokenPrice } from "./price.ts";
import { priceBook } from "./price-book.ts";

/**
 * Prices of `tokens`, or of all that have one, at the end of the block. A token without a price is missing in the map:
 * it is worth an unknown amount, not nothing. Worked out for all tokens at once and stored, so asking twice costs nothing.
 * @throws UnavailableError while a share's backing is not known yet
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

/** False while some token of a market has not been read yet: once it is, prices of this block and of earlier ones may be others. */
export const arePricesFinal = async (context: OperationContext, point: BlockPoint): Promise<boolean> =>
  (await priceBook(context, point)).isFinal;

/**
 * For each unpriced share among `shares` the tokens whose price it lacks, ascending: those at the end of its
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

/** For each share among `tokens` the tokens behind it, one level deep; none where its backing is unknown. */
export async function behindShares(
  context: OperationContext,
  point: BlockPoint,
  tokens: readonly Address[],
): Promise<ReadonlyMap<Address, readonly Address[]>> {
  const { behind } = await priceBook(context, point);
  return new Map(
    tokens.flatMap((share) => {
      // a share whose backing is unknown has itself as its only part: see unknownShare
      const others = behind.get(share)?.flatMap(({ token, amount }) => (amount > 0n && token !== share ? [token] : []));
      return others ? [[share, others] as const] : [];
    }),
  );
}
