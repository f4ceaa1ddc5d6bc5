// From a question to the offer chosen: the index first, then the providers, then the choice.
import { randomUUID } from "node:crypto";
import type { ChainFile } from "../../chains/chain-file.ts";
import { refFeeRoundingDown } from "../../core/aggregator/limits.ts";
import { priceImpactRoundingToZero } from "../../core/aggregator/price-impact.ts";
import type { OperationContext } from "../context.ts";
import { providerOutcomes } from "../instruments.ts";
import { makeQuote, type RouterQuote } from "../router/quote.ts";
import type { SwapTransaction } from "../router/swap-transaction.ts";
import { aggregatorOf } from "./aggregator.ts";
import type { Outcome } from "./ask-provider.ts";
import { gatherOutcomes } from "./gather-outcomes.ts";
import { isWrapOnly, type Market, readMarket } from "./market.ts";
import { noOffer } from "./no-offer.ts";
import { bestOf, isWorthWaiting, type Offer, offersOf, withoutTooGood } from "./offers.ts";
import { ownOutcome, providerRequest } from "./own-offer.ts";
import type { QuoteInput } from "./quote-input.ts";
import { describeRoute, type ShownRoute } from "./shown-route.ts";
import { type MethodParameters, swapCall, termsOf } from "./swap-call.ts";
import { firstThatPasses, tryingMs } from "./try-offers.ts";

export interface SwapQuote {
  id: string;
  /** Of the provider's answer where it names one. */
  quoteId: string;
  input: QuoteInput;
  market: Market;
  provider: string;
  /** Output for exactIn, input for exactOut, before the referral fee. */
  quote: bigint;
  gas: bigint;
  refFee: bigint;
  /** A decimal fraction; null where no path of our own pools gives the price before the swap. */
  priceImpact: string | null;
  route: ShownRoute;
  /** Of the aggregator contract; undefined where no transaction was wanted, or the contract cannot make it. */
  method: MethodParameters | undefined;
  /** Of the provider's own contract. */
  providerMethod: MethodParameters | undefined;
  /** Every provider asked, in the chain file's order. */
  outcomes: readonly Outcome[];
  offers: readonly Offer[];
}

/** @throws InvalidInputError; NoOfferError, ProvidersFailedError; what readMarket throws */
export async function makeSwapQuote(context: OperationContext, input: QuoteInput): Promise<SwapQuote> {
  const { settings, finishing } = aggregatorOf(context.service);
  const until = performance.now() + settings.timeoutMs;
  const underWay = finishing.begin();
  try {
    return await quoteUntil(context, input, { until, waited: underWay.waited });
  } finally {
    // when its answer is written, too
    setImmediate(underWay.finished);
  }
}

interface Timing {
  /** By `performance.now()`. */
  until: number;
  /** Nothing is waited for any more. */
  waited(): void;
}

async function quoteUntil(context: OperationContext, input: QuoteInput, { until, waited }: Timing): Promise<SwapQuote> {
  const { market, wrap } = await aggregatorOf(context.service)
    .reader(context.chain)
    .read(async (own, place) => ({
      market: await readMarket(own, place, input),
      wrap: isWrapOnly(input) ? await makeQuote(own, place, input.request) : undefined,
    }));
  if (wrap) return wrapQuote(context, { input, market, wrap });
  const outcomes = await askEverybody(context, { input, market, until });
  const offers = offersOf(outcomes, market, context.chain);
  const tried = await firstThatPasses(context, { input, market, offers, outcomes, until });
  waited();
  countOutcomes(context.chain, tried.outcomes);
  const { winner } = tried;
  if (!winner) throw noOffer(tried.outcomes, input.debug);
  return swapQuote(context, { input, market, ...tried, winner });
}

/** Our own router is no service that may fail. */
function countOutcomes({ name: chain, ownRouterName }: ChainFile, outcomes: readonly Outcome[]): void {
  for (const { name: provider, status } of outcomes)
    if (provider !== ownRouterName) providerOutcomes.inc({ chain, provider, status });
}

interface QuoteContext {
  input: QuoteInput;
  market: Market;
}

/** The own router's outcome is there already; the others are asked side by side. In the chain file's order. */
async function askEverybody(
  context: OperationContext,
  { input, market, until }: QuoteContext & { until: number },
): Promise<Outcome[]> {
  const { chain } = context;
  const { settings, lines, finishing } = aggregatorOf(context.service);
  const { timeoutMs, providerTimeoutMs, mostAdvantagePercent, worthWaitingUsd } = settings;
  const own = input.providers.includes(chain.ownRouterName) ? [ownOutcome(chain, { input, market })] : [];
  const providerLines = lines(chain);
  const guard = { input, market, mostAdvantagePercent };
  const bestAmong = (arrived: readonly Outcome[]) =>
    bestOf(offersOf([...own, ...withoutTooGood(arrived, guard)], market, chain), input, chain);
  const outcomes = await gatherOutcomes({
    lines: input.providers.flatMap((name) => providerLines.get(name) ?? []),
    request: providerRequest(chain, { input, market }),
    until: until - tryingMs(settings, chain) - finishing.reserveMs(timeoutMs),
    providerTimeoutMs,
    isEnough: (arrived) => !isWorthWaiting(bestAmong(arrived), { input, market, worthWaitingUsd }),
    hasOffer: (arrived) => bestAmong(arrived) !== undefined,
  });
  // our own offer is never too good: what it pays above its pools' prices are surplus tokens that lie in pairs
  const all = [...own, ...withoutTooGood(outcomes, guard)];
  return input.providers.flatMap((name) => all.find((outcome) => outcome.name === name) ?? []);
}

interface Chosen extends QuoteContext {
  offers: readonly Offer[];
  outcomes: readonly Outcome[];
  winner: Offer;
}

async function swapQuote(context: OperationContext, chosen: Chosen): Promise<SwapQuote> {
  const { input, market, offers, outcomes, winner } = chosen;
  const { transaction, quoteId } = winner.answer;
  const refFee = refFeeRoundingDown(winner.amount, input.referrerFeeBps);
  return {
    id: randomUUID(),
    quoteId: quoteId ?? randomUUID(),
    input,
    market,
    outcomes,
    offers,
    refFee,
    provider: winner.name,
    quote: winner.amount,
    gas: winner.gas,
    priceImpact: impactOf(chosen),
    route: await describeRoute(context, { input, market, winner }),
    method: methodOf(context, chosen),
    providerMethod: transaction && {
      calldata: transaction.data,
      value: `0x${transaction.value.toString(16)}`,
      to: transaction.to,
      decodedArgs: [],
    },
  };
}

function impactOf({ input, market: { own }, winner }: Chosen): string | null {
  if (!own) return null;
  const [amountIn, amountOut] =
    input.type === "exactIn" ? [input.amount, winner.amount] : [winner.amount, input.amount];
  const { midPrice: mid, remainingAfterFees } = own;
  return priceImpactRoundingToZero({ amountIn, amountOut, mid, remainingAfterFees });
}

function methodOf(context: OperationContext, chosen: Chosen): MethodParameters | undefined {
  const terms = termsOf(context, chosen);
  return terms && swapCall(terms);
}

/** One for one, made by the router contract itself: there is nothing to choose, and no fee is taken. */
function wrapQuote(
  { chain }: OperationContext,
  { input, market, wrap }: QuoteContext & { wrap: RouterQuote },
): SwapQuote {
  const method = wrap.transaction && withoutArgs(wrap.transaction);
  return {
    id: randomUUID(),
    quoteId: wrap.quoteId,
    input,
    market,
    provider: chain.ownRouterName,
    quote: wrap.quote,
    gas: wrap.gasUnits,
    refFee: 0n,
    priceImpact: "0",
    route: { paths: [], tokens: new Map(), text: wrap.routeText },
    method,
    providerMethod: method,
    outcomes: [{ name: chain.ownRouterName, status: "success", milliseconds: market.ownMilliseconds }],
    offers: [],
  };
}

const withoutArgs = (transaction: SwapTransaction): MethodParameters => ({ ...transaction, decodedArgs: [] });
