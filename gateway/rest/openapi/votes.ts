// The OpenAPI document's routes for questions about many accounts at once: several blocks, and votes.
import { createRoute, z } from "@hono/zod-openapi";
import { address } from "../../parameters.ts";
import { blockNumbers, MOST_AMOUNTS, MOST_BLOCKS } from "../../questions/balances-at-blocks.ts";
import { atBlocksBody } from "../balances-at-blocks.ts";
import { snapshotBody, snapshotOptions } from "../snapshot-score.ts";
import {
  blockHeader,
  body,
  chainId,
  commaSeparated,
  EXAMPLE_ACCOUNT,
  EXAMPLE_TOKEN,
  format,
  incompleteHeader,
  json,
  notModified,
  refusals,
  rows,
  tokenRefusals,
  tooLarge,
  users,
  validatorHeaders,
} from "./parts.ts";

const totals = z
  .record(z.string(), z.record(z.string(), z.number().describe("Whole tokens, nearest double of the exact sum")))
  .describe("By block, then by account in lower case");

const atBlocks = rows(
  totals,
  "ndjson and csv have a row for each block and account: block, account, amount, amountDecimal",
);

const params = z.object({ token: address });

export const voteRoutes = [
  createRoute({
    method: "get",
    path: "/balances/{token}/at-blocks",
    summary: "Who held how much of a token at each of several blocks",
    request: {
      params,
      query: z.object({
        blocks: commaSeparated(
          blockNumbers,
          `At most ${MOST_BLOCKS}; with users at most ${MOST_AMOUNTS} amounts in all`,
        ),
        users,
        format,
        chainId,
      }),
    },
    responses: {
      200: { ...atBlocks, headers: z.object({ ...validatorHeaders, ...incompleteHeader }) },
      304: notModified,
      ...tokenRefusals,
    },
  }),
  createRoute({
    method: "post",
    path: "/balances/{token}/at-blocks",
    summary: "The same with a body, for many users",
    request: {
      params,
      query: z.object({ users: users.describe("Where the body names none"), format, chainId }),
      body: body(atBlocksBody, "Parameters", { blocks: [1000, 1200], users: [EXAMPLE_ACCOUNT] }),
    },
    responses: {
      200: { ...atBlocks, headers: blockHeader.extend(incompleteHeader) },
      ...tokenRefusals,
      413: tooLarge,
    },
  }),
  createRoute({
    method: "post",
    path: "/snapshot/score",
    summary: "Votes of accounts, for Snapshot",
    request: {
      body: body(snapshotBody.extend({ options: snapshotOptions }), "As the strategy sends it", {
        options: { token: EXAMPLE_TOKEN, decimals: 18 },
        ...{ network: "31337", addresses: [EXAMPLE_ACCOUNT], snapshot: 1200 },
      }),
    },
    responses: {
      200: {
        ...json(
          z.object({
            score: z.array(
              z.object({
                score: z
                  .string()
                  .regex(/^\d+$/)
                  .describe("Whole tokens × 10^options.decimals (18 where left out), rounded down"),
                address: z.string().describe("As it was written"),
              }),
            ),
          }),
          "In the order of the addresses",
        ),
        headers: blockHeader.extend(incompleteHeader),
      },
      ...refusals,
      404: tokenRefusals[404],
      409: tokenRefusals[409],
      413: tooLarge,
    },
  }),
];
