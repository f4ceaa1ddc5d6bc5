// The OpenAPI document's routes below /balances/{token}.
import { createRoute, z } from "@hono/zod-openapi";
import { weights } from "../../averages/clock.ts";
import { address } from "../../parameters.ts";
import {
  addressText,
  blockNumber,
  blockRange,
  chainId,
  decimalAmount,
  format,
  incompleteHeader,
  json,
  notModified,
  rawAmount,
  rows,
  timestamp,
  tokenRefusals,
  users,
  validatorHeaders,
} from "./parts.ts";

const range = { ...blockRange, format, chainId };

const heading = { token: addressText, fromBlock: z.number().int(), toBlock: z.number().int() };
const amounts = (name: string, what: string) => ({ [name]: rawAmount(what), [`${name}Decimal`]: decimalAmount });

const step = z
  .object({
    block: z.number().int(),
    timestamp: z.number().int().nullable(),
    ...amounts("amount", "At the end of the block"),
    ...amounts("delta", "Since the block before"),
  })
  .openapi("BalanceStep");

const change = z
  .object({
    account: addressText,
    ...amounts("before", "At the end of fromBlock"),
    ...amounts("after", "At the end of toBlock"),
    ...amounts("delta", "What was gained, negative when lost"),
  })
  .openapi("BalanceChange");

const leftOver = z
  .object({
    contract: addressText,
    reason: z.string(),
    ...amounts("amount", "What cannot be attributed to any account"),
    path: z.array(z.string()).describe("Ids of the assets passed on the way there, the token first"),
  })
  .openapi("Unattributed");

const sourceOfAverage = z.object({
  source: z.string(),
  ...amounts("amount", "On average, in this way"),
  extraData: z.record(z.string(), z.string()).optional(),
});

const weighted = z
  .object({
    account: addressText,
    numerator: rawAmount("With lookThrough=false: amounts times weight at the ends of all blocks, added up").optional(),
    denominator: z.number().int().describe("With lookThrough=false: what all blocks weigh together").optional(),
    ...amounts(
      "averageRoundedDown",
      "Rounded down once for each way from the token to the account; with lookThrough=false once",
    ),
    sources: z.array(sourceOfAverage).describe("Left out with lookThrough=false").optional(),
  })
  .openapi("TimeWeightedBalance");

const held = z
  .object({
    source: z.string(),
    ...amounts("amount", "What all accounts have in this way"),
    contractsCount: z.number().int().describe("Contracts that issued what the accounts hold; 0 for balance"),
    contracts: z
      .array(
        z.object({
          contract: addressText,
          symbol: z.string().nullable().describe("Where it is a token itself"),
          ...amounts("amount", "What all accounts have through it"),
          ways: z
            .array(z.object({ contracts: z.array(addressText), ...amounts("amount", "What comes this way") }))
            .describe("The contracts on each way, from where the token lies to the contract itself; the largest first"),
        }),
      )
      .describe("The largest 100 of them"),
  })
  .openapi("DistributionSource");

const answers = <T extends z.ZodType>(schema: T, description: string, headers = {}) => ({
  200: { ...rows(schema, description), headers: z.object({ ...validatorHeaders, ...headers }) },
  304: notModified,
  ...tokenRefusals,
});

const params = z.object({ token: address });

export const rangeRoutes = [
  createRoute({
    method: "get",
    path: "/balances/{token}/history",
    summary: "Every change of what one account had in its own wallet",
    request: { params, query: z.object({ account: address, ...range }) },
    responses: answers(
      z.object({
        results: z.array(step),
        ...heading,
        account: addressText,
        ...amounts("opening", "At the end of fromBlock"),
        ...amounts("closing", "At the end of toBlock"),
      }),
      "Changes after fromBlock and up to toBlock, oldest first",
    ),
  }),
  createRoute({
    method: "get",
    path: "/balances/{token}/changes",
    summary: "Whose own wallet gained and whose lost",
    request: { params, query: z.object(range) },
    responses: answers(
      z.object({ results: z.array(change), ...heading }),
      "From the largest gain to the largest loss, then by account",
    ),
  }),
  createRoute({
    method: "get",
    path: "/balances/{token}/time-weighted",
    summary: "What was held on average over the blocks of a range, both ends included",
    request: {
      params,
      query: z.object({
        ...range,
        users,
        weight: z
          .enum(weights)
          .optional()
          .describe("What a block weighs: 1, or the seconds until the next one, the last block of the range nothing"),
        lookThrough: z.enum(["true", "false"]).optional().describe("false: what was in wallets alone"),
      }),
    },
    responses: answers(
      z.object({
        results: z.array(weighted),
        ...heading,
        weight: z.enum(weights),
        weightTotal: z.number().int().describe("What all blocks weigh together"),
        ...{ supply: rawAmount("On average, rounded down; null with users").nullable().optional() },
        supplyDecimal: decimalAmount.optional(),
        rounding: rawAmount("Of supply, beside all averages and all that is unattributed").nullable().optional(),
        unattributed: z.array(leftOver).nullable().optional(),
      }),
      "Largest averages first, or the users asked in their order",
      incompleteHeader,
    ),
  }),
  createRoute({
    method: "get",
    path: "/balances/{token}/holders-count",
    summary: "How many hold a token at a block",
    request: { params, query: z.object({ blockNumber: blockNumber("It or timestamp is needed"), timestamp, chainId }) },
    responses: {
      200: {
        ...json(
          z.object({
            token: addressText,
            blockNumber: z.number().int(),
            wallets: z.number().int().describe("Addresses whose own wallet is not empty, contracts too"),
            holders: z.number().int().describe("Accounts with a total above zero, as /balances lists them"),
          }),
          "Two counts",
        ),
        headers: z.object({ ...validatorHeaders, ...incompleteHeader }),
      },
      304: notModified,
      ...tokenRefusals,
    },
  }),
  createRoute({
    method: "get",
    path: "/balances/{token}/distribution",
    summary: "Where a token sat at a block",
    request: { params, query: z.object({ blockNumber: blockNumber("It or timestamp is needed"), timestamp, chainId }) },
    responses: {
      200: {
        ...json(
          z.object({
            token: addressText,
            blockNumber: z.number().int(),
            ...amounts("supply", "At the end of the block"),
            holders: z.number().int().describe("As /holders-count counts them"),
            ...amounts("top10", "What the 10 accounts with the largest totals have together"),
            ...amounts("top100", "The same of 100 accounts"),
            sources: z.array(held).describe("In the order of `sources` in /balances"),
            unattributed: z.array(leftOver).describe("With all sources it sums up to the supply"),
          }),
          "Exact sums over all accounts",
        ),
        headers: z.object(validatorHeaders),
      },
      304: notModified,
      ...tokenRefusals,
    },
  }),
];
