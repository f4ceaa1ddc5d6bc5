// Outcomes as offers that can be compared, the best of them, and whether a better one may still come.

import type { ChainFile } from "../../chains/chain-file.ts";
import { decimalFraction, percentFraction } from "../../core/aggregator/percent.ts";
import { amountAtRate, isTooGood } from "../../core/aggregator/plausibility.ts";
import { chooseOffer, netAmount, type OfferTerms } from "../../core/aggregator/ranking.ts";
import { FINE_USD_DECIMALS, parseUsd } from "../../core/prices/usd.ts";
import { gasInQuoteRoundingUp } from "../../core/router/gas.ts";
import { USD_DECIMALS, usdValue } from "../prices/price.ts";
import { USUAL_GAS } from "../router/gas-price.ts";
import type { Outcome } from "./ask-provider.ts";
import type { Market } from "./market.ts";
import type { ProviderAnswer } from "./provider.ts";
import type { QuoteInput } from "./quote-input.ts";

export interface Offer extends OfferTerms {
  /** Units, wrapping included. */
  gas: bigint;
  answer: ProviderAnswer;
}

/** The name that the chain file lists, with weight and priority. */
type ListedProvider = ChainFile["providers"][number];

function toOffer(listed: ListedProvider, answer: ProviderAnswer, market: Market): Offer {
  const reportedGas = answer.gas > 0n ? answer.gas + BigInt(market.wrappingGas) : undefined;
  const gas = reportedGas ?? market.own?.route.gasUnits ?? USUAL_GAS;
  const { perUnit } = market.gasCost;
  return {
    name: listed.name,
    amount: answer.amount,
    gas,
    gasCost: perUnit ? gasInQuoteRoundingUp(gas, { quotePerUnit: perUnit }) : 0n,
    weight: decimalFraction(listed.weight),
    priority: listed.priority,
    answer,
  };
}

/** A quote that is too good to be true is no success. */
export function withoutTooGood(
  outcomes: readonly Outcome[],
  { input, market, mostAdvantagePercent }: { input: QuoteInput; market: Market; mostAdvantagePercent: number },
): Outcome[] {
  const allowance = percentFraction(String(mostAdvantagePercent));
  return outcomes.map((outcome) => {
    const { answer } = outcome;
    if (!answer) return outcome;
    const offered = { fixed: input.amount, amount: answer.amount, type: input.type };
    if (!isTooGood(offered, market.rates, allowance)) return outcome;
    const { name, milliseconds } = outcome;
    return {
      name,
      milliseconds,
      status: "error",
      message: `quotes over ${mostAdvantagePercent} % above our own prices`,
    };
  });
}

/** Offers of all outcomes with an answer, in the chain file's order. */
export const offersOf = (outcomes: readonly Outcome[], market: Market, { providers }: ChainFile): Offer[] =>
  providers.flatMap((listed) => {
    const answer = outcomes.find(({ name }) => name === listed.name)?.answer;
    return answer ? [toOffer(listed, answer, market)] : [];
  });

export const bestOf = (offers: readonly Offer[], input: QuoteInput, { ownRouterName }: ChainFile): Offer | undefined =>
  chooseOffer(offers, { type: input.type, ownName: ownRouterName });

const BETWEEN_SCALES = 10n ** BigInt(FINE_USD_DECIMALS - USD_DECIMALS);

/**
 * Nobody swaps at better than the price without fees and impact, so the most that a later answer can gain is known beforehand.
 *
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
