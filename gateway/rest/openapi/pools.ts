// The OpenAPI document's routes of pools and shares over ranges of blocks.
import { createRoute, z } from "@hono/zod-openapi";
import { MAX_TICK, MIN_TICK } from "../../../core/math/tick-math.ts";
import { address, tokenId, wholeNumber } from "../../parameters.ts";
import { MOST_POOL_CHANGES, MOST_POOL_POINTS } from "../../questions/pool-history.ts";
import { MOST_SHARE_POINTS } from "../../questions/share-history.ts";
import {
  addressText,
  blockHeader,
  blockRange,
  chainId,
  decimalAmount,
  failure,
  integer,
  json,
  rawAmount,
  refusals,
  tokenRefusals,
} from "./parts.ts";

const range = { ...blockRange, chainId };

const heading = { pool: addressText, fromBlock: z.number().int(), toBlock: z.number().int() };
const tick = (what: string) => wholeNumber(MIN_TICK, MAX_TICK).optional().describe(what);

const poolRefusals = {
  ...refusals,
  404: json(failure, "POOL_NOT_FOUND, or POSITION_NOT_FOUND of a token id"),
  409: json(failure, "POOL_STOPPED: its state is unknown"),
};

const timeInRange = z
  .object({
    ...heading,
    tickLower: z.number().int(),
    tickUpper: z.number().int(),
    seconds: z.number().int().describe("From the first block's time to the last one's"),
    secondsInside: z.number().int().describe("While the tick was from tickLower up to but not including tickUpper"),
    secondsPerLiquidityInsideX128: integer("What the pool's own number grew by, times 2^128, modulo 2^160"),
    position: z
      .object({
        liquiditySeconds: integer("Its liquidity times the seconds in which it was in range"),
        secondsInsideX128: integer("Its part of the liquidity in range, times the seconds, times 2^128"),
      })
      .nullable()
      .describe("Null where only ticks are given"),
  })
  .openapi("TimeInRange");

const moment = z
  .object({
    block: z.number().int(),
    timestamp: z.number().int(),
    sqrtPriceX96: integer("Null before the pool had a price").nullable(),
    tick: z.number().int().nullable(),
    liquidity: integer("In range").nullable(),
  })
  .openapi("PoolMoment");

const share = z
  .object({
    block: z.number().int(),
    timestamp: z.number().int().nullable(),
    supply: rawAmount("Of the share"),
    supplyDecimal: decimalAmount,
    parts: z
      .array(
        z.object({
          token: addressText,
          amount: rawAmount("Behind all shares, as the contract counts"),
          perShareRoundedDown: rawAmount("Behind one whole share; null where there is none").nullable(),
        }),
      )
      .describe("Empty before the contract existed, and while its state is unknown"),
  })
  .openapi("ShareMoment");

export const poolRoutes = [
  createRoute({
    method: "get",
    path: "/pools/{pool}/time-in-range",
    summary: "How long a v3 pool's price was within two ticks, and what a position had of it",
    request: {
      params: z.object({ pool: address }),
      query: z.object({
        ...range,
        tickLower: tick("Without a tokenId both ticks are needed"),
        tickUpper: tick("Above tickLower"),
        owner: address.optional().describe("Whose position in the pool itself is meant, with both ticks"),
        tokenId: tokenId.optional().describe("Of the pool's position manager, instead of ticks and owner"),
      }),
    },
    responses: { 200: { ...json(timeInRange, "One object"), headers: blockHeader }, ...poolRefusals },
  }),
  createRoute({
    method: "get",
    path: "/pools/{pool}/history",
    summary: "A v3 pool's price, tick and liquidity in range over a range of blocks",
    request: {
      params: z.object({ pool: address }),
      query: z.object({
        ...range,
        points: wholeNumber(1, MOST_POOL_POINTS)
          .optional()
          .describe(`Blocks evenly spaced; without it every block that changed them, at most ${MOST_POOL_CHANGES}`),
      }),
    },
    responses: {
      200: { ...json(z.object({ results: z.array(moment), ...heading }), "Oldest first"), headers: blockHeader },
      ...poolRefusals,
    },
  }),
  createRoute({
    method: "get",
    path: "/shares/{share}/history",
    summary: "What stood behind a share of a v2 pair, an island or a vault over a range of blocks",
    request: {
      params: z.object({ share: address }),
      query: z.object({
        ...range,
        points: wholeNumber(1, MOST_SHARE_POINTS).optional().describe("Blocks evenly spaced; 24 without it"),
      }),
    },
    responses: {
      200: { ...json(z.object({ results: z.array(share), share: addressText }), "Oldest first"), headers: blockHeader },
      ...tokenRefusals,
    },
  }),
];
