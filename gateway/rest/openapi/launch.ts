// The OpenAPI document's routes below /launch/{chainId}.
import { createRoute, z } from "@hono/zod-openapi";
import { address, addressList } from "../../parameters.ts";
import { launchPage } from "../launch.ts";
import { CHAIN_ID_DIGITS } from "../url-parameters.ts";
import { addressText, blockHeader, commaSeparated, failure, json, refusals } from "./parts.ts";

const chainId = z.string().regex(CHAIN_ID_DIGITS).describe("A chain that is served");
const inWhole = (what: string) => z.number().nullable().describe(`${what}; null without decimals`);
const inUsd = (what: string) => z.number().nullable().describe(what);
const time = z.string().describe("ISO 8601, UTC");

const launchedToken = z
  .object({
    id: addressText.describe("The token's address, lower case; the same as `address`"),
    address: addressText,
    name: z.string().nullable(),
    symbol: z.string().nullable(),
    decimals: z.number().int().nullable(),
    totalSupply: inWhole("Whole tokens"),
    poolAddress: addressText.describe("The contract with the curve, often the token itself"),
    baseToken: addressText.describe("What buys it"),
    deployer: addressText,
    createdAt: time,
    createdBlock: z.number().int(),
    graduated: z.boolean(),
    graduatedAt: time.nullable(),
    dexPair: addressText.nullable().describe("The v2 pair that it graduated into"),
    price: inWhole("Whole base tokens per token: of the curve, after graduation of the pair"),
    priceUSD: inUsd("Null where there is no price"),
    marketCapUSD: inUsd("priceUSD of the whole supply"),
    raised: inWhole("Whole base tokens in the curve; once graduated, at its end"),
    totalRaise: inWhole("Whole base tokens that selling the whole range brings in"),
    progress: z.number().min(0).max(1).describe("raised ÷ totalRaise; 1 once graduated"),
    volumeUSD: inUsd(
      "All trades on the curve, each at the price of its block; null where none has a price, and while that is still worked out",
    ),
    unpricedVolume: inWhole("Whole base tokens of trades at whose time there was no price: missing in volumeUSD"),
    holdersCount: z
      .number()
      .int()
      .nullable()
      .describe("Wallets that are not empty, without launch pools and the zero address; null when unknown"),
    swapsCount: z.number().int().describe("Trades on the curve"),
    description: z.string().nullable().describe("Always null"),
    socials: z.record(z.string(), z.string()).describe("Always empty"),
    logoURI: z.string().nullable().describe("Always null"),
  })
  .openapi("LaunchedToken");

const tokenList = z
  .object({
    name: z.string(),
    timestamp: time,
    version: z.object({ major: z.number().int(), minor: z.number().int(), patch: z.number().int() }),
    tokens: z.array(
      z.object({
        chainId: z.number().int(),
        address: addressText,
        name: z.string(),
        symbol: z.string(),
        decimals: z.number().int(),
      }),
    ),
  })
  .openapi("TokenList");

export const launchRoutes = [
  createRoute({
    method: "get",
    path: "/launch/{chainId}/tokens",
    summary: "Tokens launched on a curve, newest first",
    request: {
      params: z.object({ chainId }),
      query: z.object({
        limit: launchPage.shape.limit.optional().describe("20 without it"),
        page: launchPage.shape.page.optional().describe("Beyond the last page `data` is empty"),
        addresses: commaSeparated(
          addressList,
          "Only these tokens, by their own or their pools' addresses; at most 10,000",
        ).optional(),
      }),
    },
    responses: {
      200: {
        headers: blockHeader,
        ...json(
          z.object({
            data: z.array(launchedToken),
            count: z.number().int().describe("Of all pages"),
            page: z.number().int(),
            limit: z.number().int(),
          }),
          "One page",
        ),
      },
      ...refusals,
    },
  }),
  createRoute({
    method: "get",
    path: "/launch/{chainId}/tokens/{address}",
    summary: "One launched token, by its own address or its pool's",
    request: { params: z.object({ chainId, address }) },
    responses: {
      200: {
        headers: blockHeader,
        ...json(launchedToken, "The token; of several pools the one that is the token itself, else the newest"),
      },
      404: json(failure, "LAUNCH_NOT_FOUND: nothing launched has this address"),
      ...refusals,
    },
  }),
  createRoute({
    method: "get",
    path: "/launch/{chainId}/tokenList.json",
    summary: "All graduated tokens as a Uniswap token list",
    request: { params: z.object({ chainId }) },
    responses: { 200: json(tokenList, "In the order of graduation; `tokens` is empty before the first"), ...refusals },
  }),
];
