// The REST surface as an OpenAPI 3.1 document, for clients and their generators. A test compares its paths with the
// routes there are.
import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import { address } from "../../parameters.ts";
import { balancesBody } from "../balances.ts";
import { launchRoutes } from "./launch.ts";
import { described, tags } from "./operations.ts";
import {
  addressText,
  blockHeader,
  blockNumber,
  blockOfPost,
  body,
  chainId,
  EXAMPLE_ACCOUNT,
  format,
  incompleteHeader,
  json,
  notModified,
  rawAmount,
  rows,
  timestamp,
  tokenRefusals,
  tooLarge,
  users,
  validatorHeaders,
} from "./parts.ts";
import { poolRoutes } from "./pools.ts";
import { quoteRoutes } from "./quote.ts";
import { rangeRoutes } from "./ranges.ts";
import { rewardsRoutes } from "./rewards.ts";
import { routerRoutes } from "./router.ts";
import { serviceRoutes } from "./service.ts";
import { tokenRoutes } from "./tokens.ts";
import { vaultRoutes } from "./vaults.ts";
import { voteRoutes } from "./votes.ts";

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

const tellingHeaders = {
  ...incompleteHeader,
  "X-Token-Flags": z.string().optional().describe("Kinds of drift between balanceOf and events that were seen"),
};
const balanceHeaders = { ...validatorHeaders, ...tellingHeaders };

const ORDER = "Holders by total descending, or the users asked in their order";

const claimTree = z
  .object({
    root: z.string().describe("What the contract is given"),
    leafEncoding: z
      .array(z.string())
      .describe("`address`, `uint256`: a leaf is the double keccak256 of both, ABI-encoded"),
    chainId: z.string(),
    token: addressText,
    decimals: z.string().describe("Empty when not known"),
    block: z.string(),
    blockHash: z.string(),
    proofs: z.array(
      z.object({ account: addressText, amount: rawAmount("Everything it had"), proof: z.array(z.string()) }),
    ),
  })
  .openapi("ClaimTree");

/** Every route with the schemas of what it takes and answers. */
export const documentedRoutes = [
  createRoute({
    method: "get",
    path: "/balances/{token}",
    summary: "Who held how much of a token at a block",
    request: {
      params: z.object({ token: address }),
      query: z.object({
        blockNumber: blockNumber("Beyond the chain's head it means the last synced block; it or timestamp is needed"),
        timestamp,
        users: users.describe("At most 10,000 addresses; without it all holders"),
        format,
        chainId,
      }),
    },
    responses: {
      200: { ...rows(balances, ORDER), headers: z.object(balanceHeaders) },
      304: notModified,
      ...tokenRefusals,
    },
  }),
  createRoute({
    method: "post",
    path: "/balances/{token}",
    summary: "The same with a body, for long lists",
    request: {
      params: z.object({ token: address }),
      query: z.object({ ...blockOfPost, users: users.describe("Where the body names none") }),
      body: body(balancesBody, "Parameters", { blockNumber: 1200, users: [EXAMPLE_ACCOUNT] }),
    },
    responses: {
      200: { ...json(balances, ORDER), headers: blockHeader.extend(tellingHeaders) },
      ...tokenRefusals,
      413: tooLarge,
    },
  }),
  createRoute({
    method: "get",
    path: "/balances/{token}/merkle",
    summary: "A Merkle tree over who held how much, with everybody's proof",
    request: {
      params: z.object({ token: address }),
      query: z.object({
        blockNumber: blockNumber("Beyond the chain's head it means the last synced block; it or timestamp is needed"),
        timestamp,
        chainId,
      }),
    },
    responses: {
      200: { ...json(claimTree, "As OpenZeppelin's MerkleProof checks it"), headers: z.object(balanceHeaders) },
      304: notModified,
      ...tokenRefusals,
    },
  }),
  ...rangeRoutes,
  ...rewardsRoutes,
  ...poolRoutes,
  ...voteRoutes,
  ...vaultRoutes,
  ...launchRoutes,
  ...tokenRoutes,
  ...quoteRoutes,
  ...routerRoutes,
  ...serviceRoutes,
].map(described);

const KEY = { type: "apiKey", in: "header", name: "X-API-Key" } as const;
const BEARER = { type: "http", scheme: "bearer" } as const;

/** The document served at `/openapi.json`. */
export function openapiDocument(version: string) {
  const documented = new OpenAPIHono();
  for (const route of documentedRoutes) documented.openAPIRegistry.registerPath(route);
  documented.openAPIRegistry.registerComponent("securitySchemes", "key", KEY);
  documented.openAPIRegistry.registerComponent("securitySchemes", "bearer", BEARER);
  return documented.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Tidemark",
      version,
      description:
        "Who held how much of a token at block N; and prices, pools, vaults and swaps at any indexed block. Amounts that end in `Decimal` or are " +
        "text are exact. Parameters that a route does not know are ignored. Keys are needed only where the operator has set any.",
      contact: { name: "The operator of this server" },
      license: { name: "MIT", url: "https://opensource.org/license/mit" },
    },
    servers: [{ url: "/", description: "The server that this document came from" }],
    tags,
  });
}

/** Names of the parameters that hold several items with commas between, whatever the route. */
export const listParameters = ({ paths = {} }: ReturnType<typeof openapiDocument>): Set<string> =>
  new Set(
    Object.values(paths)
      .flatMap(({ get, post }) => [...(get?.parameters ?? []), ...(post?.parameters ?? [])])
      .flatMap((one) => ("explode" in one && one.explode === false ? [one.name] : [])),
  );
