// The OpenAPI document's routes of pools that issue shares.
import { createRoute, z } from "@hono/zod-openapi";
import { address } from "../../parameters.ts";
import { leastUsd, searchText, vaultPage } from "../../questions/vaults.ts";
import { MOST_NAMED } from "../incomplete-header.ts";
import { CHAIN_ID_DIGITS } from "../url-parameters.ts";
import {
  addressText,
  blockNumber,
  chainId,
  failure,
  blockHeader as headers,
  json,
  refusals,
  timestamp,
} from "./parts.ts";

const flag = z.enum(["true", "false"]).optional();
const NULL = "null when not known: see unpriced, unread, stopped and incomplete";
const usdOrNull = (what: string) => z.number().nullable().describe(`${what}, USD; ${NULL}`);
const percentOrNull = (what: string) =>
  z.number().nullable().describe(`${what}, in percent points: 5.8 means 5.8 % a year; ${NULL}`);

const token = z
  .object({
    id: addressText.describe("Lower case"),
    symbol: z.string(),
    name: z.string(),
    decimals: z.number().int().nullable().describe("Null where the contract gives none that can be used"),
    price: usdOrNull("Of one whole token"),
  })
  .openapi("VaultToken");

const farm = z
  .object({
    id: addressText,
    provider: z.enum(["kodiak", "bgt"]).describe("`kodiak`: a farm of locked stakes; `bgt`: a reward vault"),
    tvl: usdOrNull("What is staked"),
    apr: percentOrNull("What is paid on it"),
    rewardRates: z
      .array(z.string())
      .nullable()
      .describe("Per second, raw units, in the order of rewardTokens; null: see unread"),
    stakingToken: addressText,
    rewardTokens: z.array(token).nullable().describe("Null when not known: see unread"),
  })
  .openapi("VaultFarm");

const shares = z.number().nullable();
const supply = shares.describe("Null without decimals, and where the ledger of the shares is impossible");

const bault = z
  .object({
    id: addressText,
    apy: z
      .number()
      .nullable()
      .describe("Percent a year, compounded, at the pace of the trailing week; null when not known"),
    blacklisted: z.boolean(),
    price: usdOrNull("Of one share"),
    totalAssets: z
      .number()
      .nullable()
      .describe(
        "Whole shares of the pool; null without decimals, and where the ledger of the stakes in a reward vault over them is impossible",
      ),
    totalSupply: supply,
  })
  .openapi("Bault");

const inShares = z.object({ balance: shares, vaultBalance: shares, farmBalance: shares });

const vault = z
  .object({
    id: addressText.describe("The share token: an island or a v2 pair"),
    provider: z.enum(["kodiak", "v2"]).describe("`kodiak`: an island"),
    poolAddress: addressText.describe("An island's v3 pool; a pair's own address"),
    lowerTick: z.number().int().nullable(),
    upperTick: z.number().int().nullable(),
    currentTick: z.number().int().nullable().describe("Null while there is no price"),
    feeTier: z.number().int().nullable().describe("Of a swap, in hundredths of a basis point"),
    tvl: usdOrNull("What stands behind all shares"),
    farmTvl: usdOrNull("What of it is staked"),
    apr: percentOrNull("LP fees of the trailing week, after protocol and manager"),
    farmApr: percentOrNull("All reward vaults and farms together"),
    totalApr: percentOrNull("Both"),
    weeklyFeesEarnedUSD: usdOrNull("LP fees of the trailing week"),
    lastUpdated: z.string().describe("Time of the block, ISO 8601"),
    isSweetened: z
      .boolean()
      .nullable()
      .describe(
        "A farm pays now, or a whitelisted reward vault has incentives left; null where only a farm in unread could",
      ),
    isRewardVault: z.boolean(),
    isVolatile: z.boolean(),
    managerTreasury: addressText
      .nullable()
      .optional()
      .describe("Left out where nobody manages the island; null when unknown: neither events nor the node give it"),
    managerFeeBps: z.number().int().nullable(),
    token0: token,
    token1: token,
    tokenLp: token.extend({ price: usdOrNull("Of one share"), totalSupply: supply }),
    amount0: z.number().nullable().describe("Whole tokens behind all shares; null when unknown"),
    amount1: z.number().nullable(),
    farm: farm.optional().describe("The largest; left out where there is none"),
    baults: z.array(bault).optional().describe("With withBaults"),
    unpriced: z
      .array(addressText)
      .describe(
        "Tokens whose missing price or unknown amount leaves some number unknown, shares of the pool and of baults over it too; the share itself also where the island's state, now or a week ago, is unknown",
      ),
    unread: z.array(addressText).describe("Farms that have not been read from the chain: what they pay is not known"),
    stopped: z
      .array(addressText)
      .describe(
        "Where nobody can say who has shares of it, as a ledger is impossible: the share itself, or vaults and farms over it or its baults. What it depends on is null",
      ),
    incomplete: z
      .enum(["stopped", "waiting", "undetermined"])
      .nullable()
      .describe(
        "Why it is unknown what stands behind the shares. stopped: its events contradict each other; waiting: its settings are not read yet; undetermined: neither events nor the node give its range or fee",
      ),
    balanceUSD: z.number().nullable().optional().describe("With user: both below"),
    vaultBalanceUSD: z.number().nullable().optional().describe("With user: shares in the wallet"),
    farmBalanceUSD: z.number().nullable().optional().describe("With user: staked, to any depth"),
    balances: inShares
      .optional()
      .describe("With user: the same in shares; null without decimals, and when not known: see stopped"),
  })
  .openapi("Vault");

const block = {
  blockNumber: blockNumber("Without it and timestamp: the last synced block"),
  timestamp,
};
const user = address
  .optional()
  .describe("Adds what the account has; of the list only pools that it is known to have something of");
const withBaults = (unlessGiven: boolean) =>
  flag.describe(`Nests the baults over the pool; ${unlessGiven} unless given`);

export const vaultRoutes = [
  createRoute({
    method: "get",
    path: "/vaults",
    summary: "Islands and v2 pairs: what they hold, earn and pay",
    request: {
      query: z.object({
        chainId: z.string().regex(CHAIN_ID_DIGITS).describe("Chain id; needed here"),
        limit: vaultPage.shape.limit.optional().describe("20 unless given"),
        offset: vaultPage.shape.offset.optional().describe("Pools to skip"),
        orderBy: vaultPage.shape.orderBy
          .optional()
          .describe("tvl unless given; balance, farmBalance, vaultBalance need user"),
        orderDirection: vaultPage.shape.orderDirection
          .optional()
          .describe("desc unless given; unknown values come last in both"),
        user,
        search: searchText.describe("Part of a name or symbol of share or tokens, or a whole address"),
        rewardVault: flag.describe("true: only pools with a reward vault"),
        sweetened: flag.describe(
          "true: only pools with a farm that pays now, or a whitelisted reward vault with incentives left",
        ),
        volatile: flag.describe(
          "false: only pools of two tokens pegged to the same thing, by the chain file; true: only others",
        ),
        minimumTvl: leastUsd.describe("USD; leaves out pools without a known TVL"),
        withBaults: withBaults(false),
        ...block,
      }),
    },
    responses: {
      200: {
        ...json(z.object({ count: z.number().int(), data: z.array(vault) }), "`count` is that of all pages"),
        headers: headers.extend({
          "X-Incomplete": z
            .string()
            .optional()
            .describe(
              `With user: the \`stopped\` of pools of which it is not known whether it has something; they are left out. ${MOST_NAMED} at most, then how many more, as +290`,
            ),
        }),
      },
      ...refusals,
    },
  }),
  createRoute({
    method: "get",
    path: "/vaults/{id}",
    summary: "One of them",
    request: {
      params: z.object({ id: address }),
      query: z.object({ user, withBaults: withBaults(true), ...block, chainId }),
    },
    responses: {
      200: { ...json(vault, "The island or pair"), headers },
      ...refusals,
      404: json(failure, "VAULT_NOT_FOUND"),
    },
  }),
  createRoute({
    method: "get",
    path: "/baults",
    summary: "Every bault, with what it takes",
    request: { query: z.object({ ...block, chainId }) },
    responses: {
      200: {
        ...json(
          z.object({
            count: z.number().int(),
            data: z.array(
              bault.extend({
                symbol: z.string(),
                name: z.string(),
                decimals: z.number().int().nullable().describe("Null where the contract gives none that can be used"),
                stakingToken: token,
                tvl: usdOrNull("What stands behind all shares"),
              }),
            ),
          }),
          "In order of creation",
        ),
        headers,
      },
      ...refusals,
    },
  }),
];
