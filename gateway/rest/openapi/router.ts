// GET /router/quote in the OpenAPI document.
import { createRoute, z } from "@hono/zod-openapi";
import {
  addressText,
  blockHeader,
  blockNumber,
  commaSeparated,
  decimal,
  failure,
  integer,
  json,
  refusals,
  timestamp,
} from "./parts.ts";
import { deadline, hexText, hopToken, quoteFields, receiverQuery, swapQuery, unsynced } from "./swap-parts.ts";

const unlessUnknown = <T extends z.ZodType>(schema: T) => schema.nullable();

const token = hopToken("RouteToken");

const ends = {
  address: addressText,
  tokenIn: token,
  tokenOut: token,
  fee: integer("Hundredths of a basis point"),
  amountIn: integer("On the first hop of a path").optional(),
  amountOut: integer("On the last hop of a path").optional(),
};
const reserve = z.object({ token, quotient: integer("Raw units") });

const hop = z
  .union([
    z.object({
      type: z.literal("v3-pool"),
      ...ends,
      liquidity: integer("In range"),
      sqrtRatioX96: integer("As in `slot0`"),
      tickCurrent: z.string().describe("As in `slot0`"),
    }),
    z.object({
      type: z.literal("v2-pool"),
      ...ends,
      ...{ reserve0: reserve, reserve1: reserve },
      ...{ unsynced0: unsynced, unsynced1: unsynced },
    }),
  ])
  .openapi("RouteHop");

const swapTransaction = z
  .object({
    calldata: hexText,
    value: z.string().describe("Native coin to send along, a hex quantity"),
    to: addressText,
  })
  .openapi("SwapTransaction");

const quote = z
  .object({
    blockNumber: integer("The block answered"),
    amount: integer("As asked: of the input for exactIn, of the output for exactOut"),
    amountDecimals: decimal("The same in whole tokens"),
    quote: integer("What is received for exactIn, what is paid for exactOut"),
    quoteDecimals: decimal("The same in whole tokens"),
    sweptFromRouter: integer(
      "Raw units of the output that lie in the router and are paid on top, where there are any; they are not guaranteed",
    ).optional(),
    quoteGasAdjusted: unlessUnknown(z.string()).describe(
      "Less gas for exactIn, with gas for exactOut; may be negative; null when it is unknown what gas costs in that token",
    ),
    quoteGasAdjustedDecimals: unlessUnknown(z.string()),
    gasUseEstimateQuote: unlessUnknown(integer("Gas in the quote's token, rounded up")),
    gasUseEstimateQuoteDecimals: unlessUnknown(z.string()),
    gasUseEstimate: integer("Units of gas"),
    gasUseEstimateUSD: unlessUnknown(decimal("Null without a price")),
    gasPriceWei: integer("Base fee of the block and the chain's usual tip"),
    priceImpact: decimal("A fraction, fees excluded, negative when adverse"),
    route: z.array(z.array(hop)).describe("Paths in the order in which the transaction executes them"),
    routeString: z.string(),
    quoteId: z.string(),
    methodParameters: swapTransaction.optional().describe("With recipient and slippageTolerance"),
  })
  .openapi("RouterQuote");

const noRoute = z.object({ detail: z.string(), errorCode: z.literal("NO_ROUTE") }).openapi("NoRoute");

export const routerRoutes = [
  createRoute({
    method: "get",
    path: "/router/quote",
    summary: "The best swap over the indexed pools at a block",
    request: {
      query: z.object({
        ...swapQuery,
        protocols: commaSeparated(quoteFields.protocols, "All without it"),
        ...receiverQuery,
        deadline: deadline("Seconds from the last synced block on"),
        blockNumber: blockNumber("Without it, and beyond the chain's head, the last synced block"),
        timestamp,
      }),
    },
    responses: {
      200: { headers: blockHeader, ...json(quote, "The best route by the quote less gas") },
      ...refusals,
      404: json(noRoute, "No path takes the whole amount"),
      409: json(failure, "TOKEN_NOT_STANDARD: a token whose decimals cannot be read"),
    },
  }),
];
