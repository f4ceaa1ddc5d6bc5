// GET /quote in the OpenAPI document.
import { createRoute, z } from "@hono/zod-openapi";
import { MOST_PROVIDERS, MOST_REF_CODE } from "../../aggregator/quote-input.ts";
import { wholeNumber } from "../../parameters.ts";
import { addressText, blockHeader, commaSeparated, decimal, failure, integer, json, refusals } from "./parts.ts";
import { deadline, hexText, hopToken, quoteFields, receiverQuery, swapQuery, unsynced } from "./swap-parts.ts";

const usd = (what: string) => z.string().nullable().describe(`USD ${what}; null without a price`);

const token = hopToken("QuoteToken");
const reserve = z.object({ token, quotient: integer("Raw units") });

const hop = z
  .object({
    type: z.string().describe("v3-pool, v2-pool, or the provider's name of an exchange whose pools are not indexed"),
    address: addressText,
    tokenIn: token,
    tokenOut: token,
    fee: z.string().nullable().describe("Hundredths of a basis point; null when unknown"),
    liquidity: integer("Of indexed v3 pools").optional(),
    sqrtRatioX96: integer("Of indexed v3 pools").optional(),
    tickCurrent: z.string().optional().describe("Of indexed v3 pools"),
    reserve0: reserve.optional().describe("Of indexed v2 pairs"),
    reserve1: reserve.optional().describe("Of indexed v2 pairs"),
    unsynced0: unsynced,
    unsynced1: unsynced,
    amountIn: integer("On the first hop of a path").optional(),
    amountOut: integer("On the last hop of a path").optional(),
  })
  .openapi("QuoteHop");

const decodedArgs = z
  .array(
    z.union([
      z.object({ token: addressText, wrap: z.boolean(), amount: integer("Raw units") }),
      z.object({ token: addressText, unwrap: z.boolean(), minAmountOut: integer("Raw units"), receiver: addressText }),
      z.object({ router: addressText, data: hexText }),
      z.object({
        feeQuote: integer("The quote, before the referral fee"),
        surplusFeeBps: z.string(),
        refCode: z.string(),
        referrerFeeBps: z.string(),
      }),
    ]),
  )
  .describe("The four tuples of the aggregator contract's call in this order; empty for calls of other contracts");

const methodParameters = z
  .object({
    calldata: hexText,
    value: hexText.describe("Native coin to send along, a hex quantity"),
    to: addressText,
    decodedArgs,
  })
  .openapi("QuoteMethod");

const fields = {
  id: z.string(),
  amountDecimalsUSD: usd("of `amount`"),
  quoteDecimalsUSD: usd("of `quote`"),
  tokenInPriceUSD: usd("of one whole token"),
  tokenOutPriceUSD: usd("of one whole token"),
  priceImpact: decimal(
    "A fraction, fees excluded, negative when adverse; null where no path of our own takes the amount",
  ).nullable(),
  methodParameters: methodParameters.optional().describe("With recipient and slippageTolerance"),
  blockNumber: integer("The block our own part is based on"),
  amount: integer("As asked: of the input for exactIn, of the output for exactOut"),
  amountDecimals: decimal("The same in whole tokens"),
  quote: integer("What is received for exactIn, before the referral fee; what is paid for exactOut"),
  quoteDecimals: decimal("The same in whole tokens"),
  gasUseEstimate: integer("Units"),
  gasUseEstimateUSD: usd("of it"),
  gasPriceWei: integer("Base fee of the block and the chain's usual tip"),
  route: z.array(z.array(hop)).describe("Empty when the provider shows no paths"),
  routeString: z.string(),
  quoteId: z.string(),
  provider: z.string(),
  params: z.record(z.string(), z.union([z.string(), z.number()])).describe("As asked"),
  refFee: integer("Raw units of the output token"),
};

const explanation = z
  .object({
    provider: z.string(),
    status: z.enum(["success", "no_route", "timeout", "error", "rate_limited", "unsupported", "skipped"]),
    executionTime: integer("Milliseconds"),
    output: decimal("Whole tokens; 0 without an answer"),
    priority: decimal("The weight that ranking multiplies with"),
    gas: integer("Units; 0 without an answer"),
    message: z.string().max(200).optional().describe("Why there is no answer"),
  })
  .openapi("ProviderResult");

const quote = z
  .object({
    ...fields,
    otherQuote: z
      .object(fields)
      .describe("The provider's own quote with its own transaction, and without the referral fee"),
    expl: z.array(explanation).optional().describe("With debug=true: one entry for each provider"),
  })
  .openapi("SwapQuote");

export const quoteRoutes = [
  createRoute({
    method: "get",
    path: "/quote",
    summary: "The best swap that any provider offers at the newest block",
    request: {
      query: z.object({
        ...swapQuery,
        protocols: commaSeparated(quoteFields.protocols, "Of the own router; all without it"),
        refCode: wholeNumber(0, MOST_REF_CODE).optional().describe("A registered referral code"),
        referrerFeeBps: wholeNumber(0, 999_999_999)
          .optional()
          .describe("Basis points of the quote, at most what the code allows"),
        ...receiverQuery,
        deadline: deadline("Seconds for which the provider's own call is valid"),
        providers: commaSeparated(
          z.array(z.string()).max(MOST_PROVIDERS),
          "Names in any case; all without it",
        ).optional(),
        debug: z.enum(["true", "false", "1", "0"]).optional().describe("true adds `expl`"),
      }),
    },
    responses: {
      200: { headers: blockHeader, ...json(quote, "The best offer net of gas") },
      ...refusals,
      404: json(failure, "NO_ROUTE: no provider has one; TOKEN_NOT_TRACKED: no event of a token is recorded"),
      409: json(failure, "TOKEN_NOT_STANDARD: a token whose decimals cannot be read"),
      502: json(failure, "PROVIDERS_FAILED: all providers failed, are left alone after failing, or are not set up"),
    },
  }),
];
