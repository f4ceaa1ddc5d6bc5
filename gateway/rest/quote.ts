// GET /quote, whose answer is the operation's, and GET /router/quote: the shape of the public interface over the router's operation.
import type { Context } from "hono";
import type { Service } from "../context.ts";
import { InvalidInputError } from "../errors.ts";
import { decimalOf } from "../numbers.ts";
import { quote } from "../questions/quote.ts";
import { routerQuote } from "../questions/router-quote.ts";
import { NoRouteError } from "../router/no-route.ts";
import type { QuotedToken, RouterQuote } from "../router/quote.ts";
import { quoteRequestOf } from "../router/quote-request.ts";
import { pathOf } from "../router/shown-path.ts";
import { usdText } from "../router/usd-text.ts";
import { blockOrLatest, servedChainId } from "./url-parameters.ts";
import { withinRequest } from "./within-request.ts";

export const getQuote =
  (service: Service) =>
  (c: Context): Promise<Response> =>
    withinRequest(service, c, async (scope) => {
      const sent = c.req.query();
      const answer = await scope.run(quote, sent, chainOfPair(service, sent));
      c.header("X-Block-Number", answer.blockNumber);
      c.header("Cache-Control", "no-store");
      return c.json(answer);
    });

export const getRouterQuote =
  (service: Service) =>
  async (c: Context): Promise<Response> => {
    const { input, chainId } = readQuestion(service, c);
    try {
      const quote = await withinRequest(service, c, (scope) => scope.run(routerQuote, input, chainId));
      c.header("X-Block-Number", String(quote.point.block));
      c.header("Cache-Control", "no-cache");
      return c.json(routerQuoteBody(quote, chainId));
    } catch (error) {
      if (!(error instanceof NoRouteError)) throw error;
      return c.json({ detail: error.message, errorCode: error.code }, error.status as 404);
    }
  };

/** @throws InvalidInputError naming the parameter */
function readQuestion(service: Service, c: Context) {
  const query = c.req.query();
  const chainId = chainOfPair(service, query);
  const request = quoteRequestOf(query);
  // an empty one was not sent, as of the rest of the request
  const block = blockOrLatest({ number: query.blockNumber || undefined, timestamp: query.timestamp || undefined });
  return { input: { request, block }, chainId };
}

/** Both ids are needed, served, and the same. @throws InvalidInputError naming the one that is wrong */
function chainOfPair(service: Service, query: Readonly<Record<string, string | undefined>>): number {
  const from = servedChainId(service, query.tokenInChainId, "tokenInChainId");
  const to = servedChainId(service, query.tokenOutChainId, "tokenOutChainId");
  if (from !== to) throw new InvalidInputError("tokenOutChainId", `must be ${from}: swaps stay on their chain`);
  return from;
}

/** The fields of the public interface, in its order; numbers are strings. */
function routerQuoteBody(quote: RouterQuote, chainId: number) {
  const { amount, gasInQuote, quoteGasAdjusted, transaction } = quote;
  const [given, quoted] = quote.type === "exactIn" ? [quote.tokenIn, quote.tokenOut] : [quote.tokenOut, quote.tokenIn];
  return {
    blockNumber: String(quote.point.block),
    ...amountFields("amount", amount, given),
    ...amountFields("quote", quote.quote, quoted),
    ...(quote.sweptFromRouter > 0n ? { sweptFromRouter: String(quote.sweptFromRouter) } : {}),
    ...amountFields("quoteGasAdjusted", quoteGasAdjusted, quoted),
    ...amountFields("gasUseEstimateQuote", gasInQuote, quoted),
    gasUseEstimate: String(quote.gasUnits),
    gasUseEstimateUSD: usdText(quote.gasUsd),
    gasPriceWei: String(quote.gasPriceWei),
    priceImpact: quote.priceImpact,
    route: quote.legs.map((leg) => pathOf(leg, { tokens: quote.tokens, chainId })),
    routeString: quote.routeText,
    quoteId: quote.quoteId,
    ...(transaction ? { methodParameters: transaction } : {}),
  };
}

const amountFields = <Name extends string>(name: Name, amount: bigint | undefined, { decimals }: QuotedToken) =>
  ({
    [name]: amount === undefined ? null : String(amount),
    [`${name}Decimals`]: decimalOf(amount, decimals),
  }) as Record<Name | `${Name}Decimals`, string | null>;
