// Prices for a quote.
import type { OperationContext } from "../context.ts";
import { UnavailableError } from "../errors.ts";
import type { Address } from "../parameters.ts";
import type { TokenPrice } from "../prices/price.ts";
import { pricesAt } from "../prices/price-book.ts";
import type { RouterPlace } from "./place.ts";

/** None while any price is not known yet: a quote does not wait for the worth of a share in some vault. */
export async function settledPrices(
  context: OperationContext,
  { point }: RouterPlace,
  tokens: readonly Address[],
): Promise<ReadonlyMap<Address, TokenPrice>> {
  try {
    return await pricesAt(context, point, tokens);
  } catch (error) {
    if (error instanceof UnavailableError) return new Map();
    throw error;
  }
}
