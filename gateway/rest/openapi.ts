// The REST surface as an OpenAPI 3.1 document, for clients and their generators. A test compares its paths with the
// routes there are.
import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import { launchRoutes } from "./openapi-launch.ts";
import {
  addressText,
  chainId,
  failure,
  format,
  json,
  notModified,
  refusals,
  rows,
  timestamp,
  tokenRefusals,
  validatorHeaders,
} from "./openapi-parts.ts";
import { quoteRoutes } from "./openapi-quote.ts";
import { rangeRoutes } from "./openapi-ranges.ts";
import { routerRoutes } from "./openapi-router.ts";
import { tokenRoutes } from "./openapi-tokens.ts";
import { vaultRoutes } from "./openapi-vaults.ts";

const sourceEntry = z.object({
  source: z
    .enum(["balance", "v2-pool", "island", "farm", "reward_vault", "external_vaults", "v3-position"])
    .describe("What the account itself holds, in this order; `balance` is its own wallet"),
  value: z.number().describe("Whole tokens, nearest double"),
  extraData: z
    .object({
      pairId: z.string().optional(),
      islandId: z.string().optional(),
      farmId: z.string().optional(),
      rewardVaultId: z.string().optional(),
      positionId: z.string().optional().describe("Token id, or the number of a position held in the pool itself"),
    })
    .optional()
    .describe("The one id that the kind of source has; left out for `balance` and `external_vaults`"),
});

const balanceResult = z
  .object({
    account: addressText.describe("Lower case"),
    total: z.number().describe("Whole tokens, nearest double of the exact sum"),
    sources: z.array(sourceEntry),
    expanded: z.string().describe("`<source>: <value>` items joined by a comma and a space"),
  })
  .openapi("BalanceResult");

const balances = z.object({ results: z.array(balanceResult), lastSyncedBlock: z.number().int() }).openapi("Balances");

const balanceAnswers = {
  200: {
    ...rows(balances, "Holders by total descending, or the users asked in their order"),
    headers: z.object({
      ...validatorHeaders,
      "X-Incomplete": z
        .string()
        .optional()
        .describe("Contracts whose holding of the token cannot be told apart, separated by commas"),
      "X-Token-Flags": z.string().optional().describe("Kinds of drift between balanceOf and events that were seen"),
    }),
  },
  ...tokenRefusals,
};

const routes = [
  createRoute({
    method: "get",
    path: "/balances/{token}",
    summary: "Who held how much of a token at a block",
    request: {
      params: z.object({ token: addressText }),
      query: z.object({
        blockNumber: z
          .string()
          .regex(/^\d+$/)
          .optional()
          .describe("Beyond the chain's head it means the last synced block; it or timestamp is needed"),
        timestamp,
        users: z.string().optional().describe("At most 10,000 addresses separated by commas; without it all holders"),
        format,
        chainId,
      }),
    },
    responses: { ...balanceAnswers, 304: notModified },
  }),
  createRoute({
    method: "post",
    path: "/balances/{token}",
    summary: "The same with a body, for long lists",
    request: {
      params: z.object({ token: addressText }),
      body: json(
        z.object({
          blockNumber: z.number().int().optional(),
          timestamp: z.number().int().optional(),
          users: z.array(addressText).max(10_000).optional(),
        }),
        "Parameters",
      ),
    },
    responses: { ...balanceAnswers, 413: json(failure, "BODY_TOO_LARGE") },
  }),
  ...rangeRoutes,
  ...vaultRoutes,
  ...launchRoutes,
  ...tokenRoutes,
  ...quoteRoutes,
  ...routerRoutes,
  createRoute({
    method: "get",
    path: "/status",
    summary: "How far everything is, and which tokens cannot be told",
    request: { query: z.object({ chainId }) },
    responses: {
      200: json(z.record(z.string(), z.unknown()), "The fields of `Status` in the GraphQL schema"),
      ...refusals,
    },
  }),
  createRoute({
    method: "get",
    path: "/ready",
    summary: "Whether the head's block can be answered",
    request: { query: z.object({ chainId }) },
    responses: {
      200: json(z.object({ ready: z.literal(true), lastSyncedBlock: z.number().int() }), "It can"),
      ...refusals,
    },
  }),
  createRoute({
    method: "get",
    path: "/health",
    summary: "Whether the process lives",
    responses: { 200: json(z.object({ status: z.literal("ok") }), "It does") },
  }),
  createRoute({
    method: "get",
    path: "/metrics",
    summary: "Prometheus metrics",
    responses: { 200: { description: "Text", content: { "text/plain": { schema: z.string() } } } },
  }),
];

/** The document served at `/openapi.json`. */
export function openapiDocument(version: string) {
  const documented = new OpenAPIHono();
  for (const route of routes) documented.openAPIRegistry.registerPath(route);
  return documented.getOpenAPI31Document({
    openapi: "3.1.0",
    info: { title: "Tidemark", version, description: "Who held how much of a token at block N." },
  });
}
