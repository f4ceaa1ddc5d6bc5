// A quote in the fields of the public interface, for both skins. Numbers are text; USD without a price is null.
import type { ChainFile } from "../../chains/chain-file.ts";
import { toExactDecimal } from "../numbers.ts";
import type { Address } from "../parameters.ts";
import { type TokenPrice, usdValue } from "../prices/price.ts";
import { hopOf, pathOf, tokenOf } from "../router/shown-path.ts";
import { usdText } from "../router/usd-text.ts";
import type { Outcome } from "./ask-provider.ts";
import type { DecimalToken } from "./market.ts";
import type { Offer } from "./offers.ts";
import { type QuoteInput, quoteParameters } from "./quote-input.ts";
import type { ShownPath, ShownRoute } from "./shown-route.ts";
import type { MethodParameters } from "./swap-call.ts";
import type { SwapQuote } from "./swap-quote.ts";

const SHOWN_AS_NUMBERS: readonly string[] = ["tokenInChainId", "tokenOutChainId", "slippageTolerance"];

/** As sent; only the chain ids and the slippage are numbers. */
const paramsOf = ({ sent }: QuoteInput) =>
  Object.fromEntries(
    quoteParameters.flatMap((name) => {
      const text = sent[name];
      return text === undefined ? [] : [[name, SHOWN_AS_NUMBERS.includes(name) ? Number(text) : text]];
    }),
  );

const usdOf = (price: TokenPrice | undefined, amount: bigint, decimals: number): string | null =>
  usdText(price && usdValue(price, amount, decimals));

function foreignPath({ hops, amountIn, amountOut }: Extract<ShownPath, { kind: "foreign" }>, shown: Shown) {
  return hops.map((hop, place) => ({
    ...(hop.indexed
      ? hopOf({ pool: hop.indexed, tokenIn: hop.tokenIn, tokenOut: hop.tokenOut }, shown)
      : {
          type: hop.exchange,
          address: hop.pool,
          tokenIn: tokenOf(hop.tokenIn, shown),
          tokenOut: tokenOf(hop.tokenOut, shown),
          fee: hop.fee === undefined ? null : String(hop.fee),
        }),
    ...(place === 0 && amountIn !== undefined ? { amountIn: String(amountIn) } : {}),
    ...(place === hops.length - 1 && amountOut !== undefined ? { amountOut: String(amountOut) } : {}),
  }));
}

interface Shown {
  tokens: ShownRoute["tokens"];
  chainId: number;
}

const routeBody = ({ paths, tokens }: ShownRoute, chainId: number) =>
  paths.map((path) =>
    path.kind === "own" ? pathOf(path.leg, { tokens, chainId }) : foreignPath(path, { tokens, chainId }),
  );

/**
 * What each provider came to. A failure's message, the only thing given besides its kind, is cleaned. A plain wrap is nobody's
 * offer: where it succeeds it is the quote itself.
 */
function explanation(quote: SwapQuote, chain: ChainFile) {
  const { decimals } = sidesOf(quote).quoted;
  const none = { amount: 0n, gas: 0n };
  const offerOf = ({ name, status }: Outcome): Pick<Offer, "amount" | "gas"> => {
    if (quote.offers.length === 0 && status === "success") return { amount: quote.quote, gas: quote.gas };
    return quote.offers.find((offer) => offer.name === name) ?? none;
  };
  return quote.outcomes.map((outcome) => {
    const { amount, gas } = offerOf(outcome);
    return {
      provider: outcome.name,
      status: outcome.status,
      executionTime: String(outcome.milliseconds),
      output: toExactDecimal(amount, decimals),
      priority: chain.providers.find(({ name }) => name === outcome.name)?.weight ?? "1",
      gas: String(gas),
      ...(outcome.message === undefined ? {} : { message: outcome.message }),
    };
  });
}

/** Which token the amount is of, and which the quote. */
function sidesOf({ input, market }: SwapQuote): { given: DecimalToken; quoted: DecimalToken } {
  const { tokenIn, tokenOut } = market;
  return input.type === "exactIn" ? { given: tokenIn, quoted: tokenOut } : { given: tokenOut, quoted: tokenIn };
}

export function quoteBody(quote: SwapQuote, chain: ChainFile) {
  const { input, market, gas } = quote;
  const { given, quoted } = sidesOf(quote);
  const { gasPriceWei, point } = market.place;
  const priceOf = (token: Address) => market.prices.get(token);
  const same = {
    id: quote.id,
    amountDecimalsUSD: usdOf(priceOf(given.address), input.amount, given.decimals),
    quoteDecimalsUSD: usdOf(priceOf(quoted.address), quote.quote, quoted.decimals),
    tokenInPriceUSD: usdText(priceOf(market.tokenIn.address)?.usd),
    tokenOutPriceUSD: usdText(priceOf(market.tokenOut.address)?.usd),
    priceImpact: quote.priceImpact,
    blockNumber: String(point.block),
    amount: String(input.amount),
    amountDecimals: toExactDecimal(input.amount, given.decimals),
    quote: String(quote.quote),
    quoteDecimals: toExactDecimal(quote.quote, quoted.decimals),
    gasUseEstimate: String(gas),
    gasUseEstimateUSD: usdText(market.gasCost.usdOf(gas)),
    gasPriceWei: String(gasPriceWei),
    route: routeBody(quote.route, chain.chainId),
    routeString: quote.route.text,
    quoteId: quote.quoteId,
    provider: quote.provider,
    params: paramsOf(input),
  };
  const withMethod = (method: MethodParameters | undefined) => (method ? { methodParameters: method } : {});
  return {
    ...same,
    ...withMethod(quote.method),
    refFee: String(quote.refFee),
    // the provider's own contract knows of no referral
    otherQuote: { ...same, ...withMethod(quote.providerMethod), refFee: "0" },
    ...(input.debug ? { expl: explanation(quote, chain) } : {}),
  };
}

export type QuoteBody = ReturnType<typeof quoteBody>;
