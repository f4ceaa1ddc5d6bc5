// Prices of tokens in the OpenAPI document.
import { createRoute, z } from "@hono/zod-openapi";
import { tokenList, tokensBody } from "../tokens.ts";
import {
  blockHeader,
  blockNumber,
  blockOfPost,
  body,
  chainId,
  commaSeparated,
  EXAMPLE_TOKEN,
  json,
  refusals,
  timestamp,
  tooLarge,
} from "./parts.ts";

const tokenRecord = z
  .object({
    id: z.string().describe("As asked, addresses in lower case"),
    symbol: z.string().describe("Empty when unknown, or when the contract gives none"),
    name: z.string(),
    decimals: z.number().int().describe("0 when unknown, or when the contract gives no number from 0 to 77"),
    price: z.number().describe("USD per whole token, nearest double; 0 when it has no price"),
    totalSupply: z.number().describe("Whole tokens, nearest double; 0 when unknown"),
    priceStrategy: z.enum(["fixed", "pool", "vault", "curve", "none"]),
    lastIndexed: z.iso.datetime().describe("Time of the last synced block"),
    known: z.boolean().describe("Whether any event of the token is recorded up to the block"),
    unpriced: z.array(z.string()).optional().describe("Of a share without a price: the tokens behind it that lack one"),
  })
  .openapi("TokenPrice");

const answers = {
  200: {
    ...json(z.array(tokenRecord), "One record per item, duplicates included, in the order asked"),
    headers: blockHeader,
  },
  ...refusals,
};

export const tokenRoutes = [
  createRoute({
    method: "get",
    path: "/tokens",
    summary: "What tokens are, and what they were worth at a block",
    request: {
      query: z.object({
        addresses: commaSeparated(
          tokenList,
          "At most 10,000. The zero address and the native symbol: the wrapped native token",
        ),
        blockNumber: blockNumber("Without it or timestamp the last synced block, as beyond the chain's head"),
        timestamp,
        chainId,
      }),
    },
    responses: answers,
  }),
  createRoute({
    method: "post",
    path: "/tokens",
    summary: "The same with a body, for long lists",
    request: {
      query: z.object(blockOfPost),
      body: body(tokensBody, "Parameters", { addresses: [EXAMPLE_TOKEN], blockNumber: 1200 }),
    },
    responses: { ...answers, 413: tooLarge },
  }),
];
