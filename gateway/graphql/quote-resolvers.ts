// Quotes, of the own router and of all providers: field -> operation, and the answers in the shapes of schema.graphql.
import { z } from "zod";
import type { Hop, Leg } from "../../core/router/route.ts";
import type { QuoteParameters } from "../aggregator/quote-input.ts";
import { InvalidInputError } from "../errors.ts";
import { toExactDecimal } from "../numbers.ts";
import { type Address, parseInput } from "../parameters.ts";
import { quote } from "../questions/quote.ts";
import {
  MOST_QUOTES,
  type QuoteOutcome,
  type RouterQuotes,
  routerQuote,
  routerQuotes,
} from "../questions/router-quote.ts";
import type { QuotedToken, RouterQuote } from "../router/quote.ts";
import { type QuoteRequest, quoteRequest } from "../router/quote-request.ts";
import { usdText } from "../router/usd-text.ts";
import { type BlockArgument, blockChoice, type ChainArgument, type Context, chainId } from "./arguments.ts";
import { blockView } from "./views.ts";

type QuoteInput = Record<string, unknown>;

type QuoteArguments = Record<string, string | number | boolean | null | undefined> & ChainArgument;

/** Entries without those that are null: as in the schema, what is left out may also be null. */
const given = (input: QuoteInput): [string, unknown][] =>
  Object.entries(input).filter(([, value]) => value !== null && value !== undefined);

const routerRequest = (quote: QuoteInput): QuoteRequest => parseInput(quoteRequest, Object.fromEntries(given(quote)));

/** An error in one of many questions does not affect the others. */
function readOrRefuse(quote: QuoteInput): QuoteRequest | InvalidInputError {
  try {
    return routerRequest(quote);
  } catch (error) {
    if (error instanceof InvalidInputError) return error;
    throw error;
  }
}

const batch = z
  .array(z.unknown())
  .min(1, "must hold at least one quote")
  .max(MOST_QUOTES, `must hold at most ${MOST_QUOTES} quotes`);

export const quoteQueries = {
  /** Of all providers. The arguments go on as text, as REST has them. */
  quote(_: unknown, { chainId: chain, ...args }: QuoteArguments, { scope }: Context) {
    const sent: QuoteParameters = Object.fromEntries(given(args).map(([name, value]) => [name, String(value)]));
    return scope.run(quote, sent, chain ?? undefined);
  },

  async routerQuote(_: unknown, args: { quote: QuoteInput } & BlockArgument & ChainArgument, { scope }: Context) {
    const input = { request: routerRequest(args.quote), block: blockChoice(args.block) };
    return routerQuoteView(await scope.run(routerQuote, input, chainId(args)));
  },

  async routerQuotes(_: unknown, args: { quotes: QuoteInput[] } & BlockArgument & ChainArgument, { scope }: Context) {
    parseInput(batch, args.quotes, "quotes");
    const requests = args.quotes.map(readOrRefuse);
    return routerQuotesView(await scope.run(routerQuotes, { requests, block: blockChoice(args.block) }, chainId(args)));
  },
};

function routerQuoteView(quote: RouterQuote) {
  const [given, quoted] = quote.type === "exactIn" ? [quote.tokenIn, quote.tokenOut] : [quote.tokenOut, quote.tokenIn];
  return {
    block: blockView(quote.point),
    type: quote.type,
    amount: quote.amount,
    amountDecimals: decimalOf(quote.amount, given),
    quote: quote.quote,
    quoteDecimals: decimalOf(quote.quote, quoted),
    sweptFromRouter: quote.sweptFromRouter,
    quoteGasAdjusted: quote.quoteGasAdjusted ?? null,
    quoteGasAdjustedDecimals: decimalOf(quote.quoteGasAdjusted, quoted),
    gasUseEstimateQuote: quote.gasInQuote ?? null,
    gasUseEstimateQuoteDecimals: decimalOf(quote.gasInQuote, quoted),
    gasUseEstimate: quote.gasUnits,
    gasUseEstimateUSD: usdText(quote.gasUsd),
    gasPriceWei: quote.gasPriceWei,
    priceImpact: quote.priceImpact,
    route: quote.legs.map((leg) => pathView(leg, quote)),
    routeString: quote.routeText,
    quoteId: quote.quoteId,
    methodParameters: quote.transaction ?? null,
  };
}

const routerQuotesView = ({ point, outcomes }: RouterQuotes) => ({
  block: blockView(point),
  outcomes: outcomes.map(outcomeView),
});

const outcomeView = ({ quote, refusal }: QuoteOutcome) => ({
  quote: quote ? routerQuoteView(quote) : null,
  error: refusal ? { code: refusal.code, message: refusal.message } : null,
});

const decimalOf = (amount: bigint | undefined, { decimals }: QuotedToken) =>
  amount === undefined ? null : toExactDecimal(amount, decimals);

const pathView = ({ protocol, percentHundredths, amountIn, amountOut, hops }: Leg, quote: RouterQuote) => ({
  protocol,
  percent: (percentHundredths / 100).toFixed(2),
  amountIn,
  amountOut,
  hops: hops.map((hop) => hopView(hop, quote)),
});

function hopView({ pool, tokenIn, tokenOut, amountIn, amountOut }: Hop, { tokens }: RouterQuote) {
  const tokenOf = (address: string) => {
    const { symbol, decimals } = tokens.get(address as Address) ?? {};
    return { address, symbol: symbol ?? null, decimals: decimals ?? null };
  };
  return {
    type: `${pool.kind}-pool`,
    address: pool.address,
    fee: pool.fee,
    amountIn,
    amountOut,
    tokenIn: tokenOf(tokenIn),
    tokenOut: tokenOf(tokenOut),
    ...(pool.kind === "v3"
      ? { liquidity: pool.liquidity, sqrtRatioX96: pool.sqrtPriceX96, tickCurrent: pool.tick }
      : {
          reserve0: pool.reserve0,
          reserve1: pool.reserve1,
          unsynced0: pool.unsynced0 ?? null,
          unsynced1: pool.unsynced1 ?? null,
        }),
  };
}
