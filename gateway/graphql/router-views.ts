// Router quotes in the shapes of schema.graphql. Renaming and formatting only.
import type { Hop, Leg } from "../../core/router/route.ts";
import { toExactDecimal } from "../numbers.ts";
import type { Address } from "../parameters.ts";
import type { QuoteOutcome, RouterQuotes } from "../questions/router-quote.ts";
import type { QuotedToken, RouterQuote } from "../router/quote.ts";
import { usdText } from "../router/usd-text.ts";
import { blockView } from "./views.ts";

export function routerQuoteView(quote: RouterQuote) {
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

export const routerQuotesView = ({ point, outcomes }: RouterQuotes) => ({
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
