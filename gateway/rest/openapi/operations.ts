// Names and groups of the routes for generated code and readers, with a sentence on what is particular about each.
import type { RouteConfig } from "@hono/zod-openapi";
import { breakage, keyRefusal, rateRefusal } from "./parts.ts";

export const tags = [
  { name: "balances", description: "Who holds a token, and who held it" },
  { name: "tokens", description: "What tokens are, and what they were worth" },
  { name: "pools", description: "Uniswap v3 pools over ranges of blocks" },
  { name: "vaults", description: "Pools that issue shares: islands, v2 pairs, baults" },
  { name: "launches", description: "Tokens launched on a curve; never needs a key" },
  { name: "swaps", description: "What a swap would pay, and its transaction" },
  { name: "graphql", description: "All of it, and more, as GraphQL" },
  { name: "service", description: "The state of this server" },
];

interface Operation {
  id: string;
  tag: string;
  description: string;
}

const operations: Readonly<Record<string, Operation>> = {
  "get /balances/{token}": {
    id: "getBalances",
    tag: "balances",
    description:
      "Looks through pools, islands, stakes and vaults to the accounts behind them. The JSON has doubles; the other formats are exact.",
  },
  "post /balances/{token}": {
    id: "postBalances",
    tag: "balances",
    description: "As JSON only. What the body leaves out may be in the URL.",
  },
  "get /balances/{token}/merkle": {
    id: "getBalancesTree",
    tag: "balances",
    description:
      "For claims on chain. For a token with more than 2,000 holders `npm run snapshot` writes the same file.",
  },
  "get /balances/{token}/history": {
    id: "getBalanceHistory",
    tag: "balances",
    description: "By the token's own ledger, where a pool is an account like any other.",
  },
  "get /balances/{token}/changes": {
    id: "getBalanceChanges",
    tag: "balances",
    description: "Compares the ends of both blocks. By the token's own ledger.",
  },
  "get /balances/{token}/time-weighted": {
    id: "getTimeWeightedBalances",
    tag: "balances",
    description:
      "Exact, through every contract; no block is left out. With `lookThrough=false` an average is numerator ÷ denominator raw units.",
  },
  "get /balances/{token}/holders-count": {
    id: "getHoldersCount",
    tag: "balances",
    description:
      "Two counts: addresses with a wallet, contracts too; and accounts, contracts replaced by the accounts behind them.",
  },
  "get /balances/{token}/distribution": {
    id: "getDistribution",
    tag: "balances",
    description:
      "How much lay in wallets, pools, islands, vaults and farms, through which contracts, and what cannot be attributed to any account.",
  },
  "post /rewards": {
    id: "postRewards",
    tag: "balances",
    description:
      "One row per account, to the wei of the budget. An error names every field that is wrong, all at once.",
  },
  "get /balances/{token}/at-blocks": {
    id: "getBalancesAtBlocks",
    tag: "balances",
    description:
      "Looks through contracts at each block as /balances does. The JSON has doubles; csv, ndjson and parquet are exact.",
  },
  "post /balances/{token}/at-blocks": {
    id: "postBalancesAtBlocks",
    tag: "balances",
    description: "In every format; `format` stays in the URL. What the body leaves out may be in the URL, too.",
  },
  "post /snapshot/score": {
    id: "postSnapshotScore",
    tag: "balances",
    description:
      "What Snapshot's `api-post` strategy asks and takes: votes by what accounts held, wherever it sat, at a proposal's block.",
  },
  "get /pools/{pool}/time-in-range": {
    id: "getTimeInRange",
    tag: "pools",
    description:
      "`secondsInside` and `secondsPerLiquidityInsideX128` are what the pool's snapshotCumulativesInside grew by. The state at a block's end holds until the next block's time.",
  },
  "get /pools/{pool}/history": {
    id: "getPoolHistory",
    tag: "pools",
    description: "At the ends of blocks, the first one of the range included.",
  },
  "get /shares/{share}/history": {
    id: "getShareHistory",
    tag: "vaults",
    description: "As the contracts count, without any price.",
  },
  "get /vaults": {
    id: "getVaults",
    tag: "vaults",
    description: "Filtered, ordered and in pages, with TVL and APRs; of one account with `user`.",
  },
  "get /vaults/{id}": { id: "getVault", tag: "vaults", description: "By the address of its share token." },
  "get /baults": { id: "getBaults", tag: "vaults", description: "Vaults that compound what staked shares earn." },
  "get /launch/{chainId}/tokens": {
    id: "getLaunches",
    tag: "launches",
    description: "As of the last synced block, with curve, progress, holders and volume.",
  },
  "get /launch/{chainId}/tokens/{address}": {
    id: "getLaunch",
    tag: "launches",
    description: "As of the last synced block.",
  },
  "get /launch/{chainId}/tokenList.json": {
    id: "getLaunchTokenList",
    tag: "launches",
    description: "For wallets and interfaces that load token lists by URL.",
  },
  "get /tokens": {
    id: "getTokens",
    tag: "tokens",
    description: "Prices come from the indexed pools alone; where one is unknown, `priceStrategy` says so.",
  },
  "post /tokens": { id: "postTokens", tag: "tokens", description: "What the body leaves out may be in the URL." },
  "get /quote": {
    id: "getQuote",
    tag: "swaps",
    description: "Asks all providers side by side. With recipient and slippageTolerance it has the transaction.",
  },
  "get /router/quote": {
    id: "getRouterQuote",
    tag: "swaps",
    description: "Our own router alone, at any block, exact to the wei of what the contracts pay.",
  },
  "get /graphql": {
    id: "getGraphql",
    tag: "graphql",
    description: "GraphQL over HTTP; the schema can be introspected.",
  },
  "post /graphql": {
    id: "postGraphql",
    tag: "graphql",
    description: "GraphQL over HTTP. Subscriptions are server-sent events.",
  },
  "post /sql": {
    id: "postSql",
    tag: "service",
    description:
      "Off unless the operator turns it on. Read-only, within limits of time, rows, bytes and memory; one statement of a client at a time. " +
      "An answer that meets a limit in its middle breaks off: a transfer that ended well is whole.",
  },
  "get /status": { id: "getStatus", tag: "service", description: "Of one chain; for people and dashboards." },
  "get /ready": {
    id: "getReady",
    tag: "service",
    description: "For load balancers: 503 until the head can be answered.",
  },
  "get /health": { id: "getHealth", tag: "service", description: "Asks nothing else." },
  "get /metrics": { id: "getMetrics", tag: "service", description: "In Prometheus' text format." },
  "get /openapi.json": { id: "getOpenapi", tag: "service", description: "For clients and their generators." },
  "get /docs": { id: "getDocs", tag: "service", description: "Every route with its parameters and answers." },
};

/** What `gateway/access` decides: these are never asked for a key, or never counted. */
const isKeyless = (path: string) => /^\/(?:launch\/|health$|ready$|openapi\.json$|docs$)/.test(path);
const isCounted = (path: string) => !/^\/(?:health|ready|metrics)$/.test(path);

/** The route with its names and with the answers that any route may give. @throws Error for a route without a line here */
export function described<Route extends RouteConfig>(route: Route) {
  const operation = operations[`${route.method} ${route.path}`];
  if (!operation) throw new Error(`${route.method} ${route.path} has no line in openapi/operations.ts`);
  const { id, tag, description } = operation;
  const isFree = isKeyless(route.path);
  return {
    ...route,
    operationId: id,
    tags: [tag],
    description,
    security: isFree ? [] : [{}, { key: [] }, { bearer: [] }],
    responses: {
      ...route.responses,
      ...(isFree ? {} : { 401: keyRefusal }),
      ...(isCounted(route.path) ? { 429: rateRefusal } : {}),
      500: breakage,
    },
  };
}
