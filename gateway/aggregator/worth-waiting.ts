// When to stop waiting: nobody swaps at better than the price without fees and impact, so the most that a later answer can
// gain is known beforehand.
import { amountAtRate } from "../../core/aggregator/plausibility.ts";
import { netAmount } from "../../core/aggregator/ranking.ts";
import { FINE_USD_DECIMALS, parseUsd } from "../../core/prices/usd.ts";
import { USD_DECIMALS, usdValue } from "../prices/price.ts";
import type { Market } from "./market.ts";
import type { Offer } from "./offers.ts";
import type { QuoteInput } from "./quote-input.ts";

const BETWEEN_SCALES = 10n ** BigInt(FINE_USD_DECIMALS - USD_DECIMALS);

/**
 * Whether any answer still to come can be worth `worthWaitingUsd` more than the best offer so far. Without a price that is
 * unknown, and all are waited for; with 0 all are always waited for.
 */
export function isWorthWaiting(
  best: Offer | undefined,
  { input, market, worthWaitingUsd }: { input: QuoteInput; market: Market; worthWaitingUsd: string },
): boolean {
  const token = input.type === "exactIn" ? market.tokenOut : market.tokenIn;
  const price = market.prices.get(token.address);
  if (!best || !price || market.rates.length === 0) return true;
  const net = netAmount(best, input.type);
  const gains = market.rates.map((rate) => {
    const fair = amountAtRate(input.amount, rate, input.type);
    return input.type === "exactIn" ? fair - net : net - fair;
  });
  const least = parseUsd(worthWaitingUsd) / BETWEEN_SCALES;
  if (least === 0n) return true;
  return gains.some((gain) => usdValue(price, gain, token.decimals) >= least);
}
