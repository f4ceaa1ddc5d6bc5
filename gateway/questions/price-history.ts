// What one token was worth at several blocks of a range.

import type { Operation } from "../context.ts";
import type { BlockPoint } from "../history/point.ts";
import { isSeenBy } from "../history/token-state.ts";
import type { Address } from "../parameters.ts";
import type { TokenPrice } from "../prices/price.ts";
import { pricesOver } from "../prices/prices-over.ts";
import { type SpreadInput, spreadRange } from "./locate-range.ts";

/** Each is a walk over all pools. */
export const MOST_PRICE_POINTS = 100;

export interface PriceHistory {
  token: Address;
  entries: readonly { point: BlockPoint; price: TokenPrice | undefined }[];
}

/** `points`: at most {@link MOST_PRICE_POINTS}. @throws what spreadRange and pricesOver throw */
export const priceHistory: Operation<SpreadInput, PriceHistory> = {
  name: "priceHistory",
  async run(input, context) {
    const { token } = input;
    const { located, sampled } = await spreadRange(context, input);
    const seen = sampled.filter(({ block }) => isSeenBy(located.token, block));
    const prices = await pricesOver(context, seen, [token]);
    return { token, entries: sampled.map((point) => ({ point, price: prices.get(point.block)?.get(token) })) };
  },
};
