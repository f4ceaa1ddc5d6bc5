// Outcomes as offers that can be compared, and the best of them.

import type { ChainFile } from "../../chains/chain-file.ts";
import { decimalFraction, percentFraction } from "../../core/aggregator/percent.ts";
import { isTooGood } from "../../core/aggregator/plausibility.ts";
import { chooseOffer, type OfferTerms } from "../../core/aggregator/ranking.ts";
import { gasInQuoteRoundingUp } from "../../core/router/gas.ts";
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
export type ListedProvider = ChainFile["providers"][number];

export function toOffer(listed: ListedProvider, answer: ProviderAnswer, market: Market): Offer {
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
