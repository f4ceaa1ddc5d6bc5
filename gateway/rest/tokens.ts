// GET and POST /tokens: the shape of the public interface over the prices operation.
import type { Context } from "hono";
import { z } from "zod";
import type { Service } from "../context.ts";
import { InvalidInputError } from "../errors.ts";
import { toNearestDouble } from "../numbers.ts";
import { MOST_LISTED, parseInput, splitList } from "../parameters.ts";
import { toUsdNumber } from "../prices/price.ts";
import { type PricedToken, type TokenPrices, tokenPrices } from "../questions/token-prices.ts";
import { blockAndChain, blockInBody, jsonBody } from "./json-body.ts";
import { blockOrLatest, chainIdOf } from "./url-parameters.ts";
import { withinRequest } from "./within-request.ts";

/** Addresses, or the native coin's symbol. Duplicates are kept: every item has its record. */
export const tokenList = z
  .array(z.string("must be an address, or the native coin's symbol, in quotes"), "must be a list of addresses")
  .min(1, "must name at least one address")
  .max(MOST_LISTED, `must name at most ${MOST_LISTED} addresses`);

/** The body of POST. */
export const tokensBody = z.looseObject({ ...blockInBody, addresses: tokenList });

interface TokensFields {
  items: readonly string[];
  number: string | undefined;
  timestamp: string | undefined;
  chainId: string | undefined;
}

/** @throws InvalidInputError naming `addresses`, `blockNumber`, `timestamp` or `chainId` */
export const getTokens =
  (service: Service) =>
  (c: Context): Promise<Response> => {
    const addresses = c.req.query("addresses");
    if (addresses === undefined)
      throw new InvalidInputError("addresses", "is missing; give token addresses separated by commas");
    return answer(service, c, {
      items: splitList(addresses, "addresses"),
      number: c.req.query("blockNumber"),
      timestamp: c.req.query("timestamp"),
      chainId: c.req.query("chainId"),
    });
  };

/** The same with a JSON body `{addresses, blockNumber}`, for lists that do not fit a URL. */
export const postTokens =
  (service: Service) =>
  async (c: Context): Promise<Response> => {
    const json = await jsonBody(c, 'must be JSON, e.g. {"addresses": ["0x…"]}');
    const body = parseInput(tokensBody, json, "body");
    return answer(service, c, { items: body.addresses, ...blockAndChain(c, body) });
  };

async function answer(service: Service, c: Context, request: TokensFields): Promise<Response> {
  const input = { items: request.items, block: blockOrLatest(request) };
  return withinRequest(service, c, async (scope) => {
    const answered = await scope.run(tokenPrices, input, chainIdOf(request.chainId));
    c.header("X-Block-Number", String(answered.point.block));
    return c.json(recordsOf(answered));
  });
}

/** The records of the interface; `known` and `unpriced` are extras. */
function recordsOf({ entries, lastSyncedTimestamp }: TokenPrices) {
  const lastIndexed = new Date((lastSyncedTimestamp ?? 0) * 1_000).toISOString();
  return entries.map((entry) => ({ ...recordOf(entry), lastIndexed, known: entry.isIndexed, ...unpricedOf(entry) }));
}

function recordOf({ id, isIndexed, native, token, totalSupply, price }: PricedToken) {
  const { name, symbol, decimals } = (isIndexed ? token.metadata : undefined) ?? {};
  return {
    id,
    symbol: native ?? symbol ?? "",
    name: native ?? name ?? "",
    decimals: decimals ?? 0,
    price: toUsdNumber(price?.usd) ?? 0,
    totalSupply: decimals === undefined || totalSupply === undefined ? 0 : toNearestDouble(totalSupply, decimals),
    priceStrategy: price?.strategy ?? "none",
  };
}

const unpricedOf = ({ unpriced }: PricedToken) => (unpriced.length > 0 ? { unpriced } : {});
