// POST /rewards in the OpenAPI document.
import { createRoute, z } from "@hono/zod-openapi";
import { campaignSchema } from "../../questions/campaign.ts";
import {
  addressText,
  body,
  decimal,
  EXAMPLE_TOKEN,
  failure,
  format,
  incompleteHeader,
  json,
  rawAmount,
  rows,
  tokenRefusals,
  tooLarge,
} from "./parts.ts";

const reward = z
  .object({
    account: addressText,
    averageRoundedDown: rawAmount("Average of what counts, each part rounded down"),
    points: decimal("The same, each part times its multiplier: an exact decimal"),
    shareRoundedDown: decimal("Of all points, a decimal of up to 18 places"),
    amount: rawAmount("Of the reward token"),
  })
  .openapi("Reward");

const block = z.object({
  number: z.number().int(),
  hash: z.string().nullable(),
  timestamp: z.number().int().nullable(),
});

export const rewardsRoutes = [
  createRoute({
    method: "post",
    path: "/rewards",
    summary: "A campaign's budget given out by average holdings",
    request: {
      query: z.object({ format }),
      body: body(campaignSchema, "The campaign; fields it does not know are refused", {
        ...{ chainId: 31337, token: EXAMPLE_TOKEN, weight: "seconds" },
        reward: { token: EXAMPLE_TOKEN, budget: "1000000000000000000000" },
        range: { fromBlock: 1000, toBlock: 1199 },
        counts: { held: "anywhere" },
      }),
    },
    responses: {
      200: {
        ...rows(
          z.object({
            results: z.array(reward),
            campaign: z
              .record(z.string(), z.unknown())
              .describe("As it was understood: with its defaults, addresses in lower case"),
            from: block,
            to: block,
            isFinal: z.boolean().describe("false: a reorganisation may still replace the last block"),
            weightTotal: z.string().describe("What all blocks of the range weigh together: blocks or seconds"),
            points: decimal("Of all that qualify"),
            qualified: z.number().int().describe("How many reach the minimum and are not excluded"),
            accounts: z.number().int().describe("How many rows there are"),
            sum: rawAmount("Of all amounts: the budget"),
            incomplete: z
              .array(addressText)
              .describe("Contracts whose holding of the token cannot be attributed to accounts: it counts for nobody"),
          }),
          "Largest amounts first, then by account; they sum up to the budget",
        ),
        headers: z.object({
          "X-Block-Number": z.string().describe("The last block of the range"),
          ...incompleteHeader,
        }),
      },
      ...tokenRefusals,
      409: json(failure, "NOBODY_QUALIFIES, CAP_TOO_LOW; TOKEN_NOT_STANDARD: the token's balances are unknown"),
      413: tooLarge,
    },
  }),
];
