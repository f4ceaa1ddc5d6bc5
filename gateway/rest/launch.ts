// GET /launch/<chainId>/…: the catalogue of launched tokens in the shape of its public interface.
import type { Context } from "hono";
import { z } from "zod";
import type { Operation, Service } from "../context.ts";
import { toNearestDouble } from "../numbers.ts";
import { address, addressList, parseInput, splitList, wholeNumber } from "../parameters.ts";
import { toUsdNumber } from "../prices/price.ts";
import { isoTime } from "../protocols/launch/token-list.ts";
import { launchTokenList } from "../questions/launch-token-list.ts";
import {
  type LaunchAt,
  launchAt,
  launchesPage,
  marketCap,
  progressNumber,
  shownPriceRoundedDown,
} from "../questions/launches.ts";
import { integerParameter, servedChainId } from "./url-parameters.ts";
import { withinRequest } from "./within-request.ts";

const MOST_PER_PAGE = 100;
const DEFAULT_LIMIT = 20;
/** Digits that a price is rounded down to before it becomes a double: launched tokens cost next to nothing. */
const PRICE_DIGITS = 60;

/** Which of the launches to show. */
export const launchPage = z.object({
  limit: wholeNumber(1, MOST_PER_PAGE),
  page: wholeNumber(1, 999_999_999),
});

export const getLaunches =
  (service: Service) =>
  async (c: Context): Promise<Response> => {
    const { limit, page } = parseInput(launchPage, {
      limit: integerParameter(c, "limit") ?? DEFAULT_LIMIT,
      page: integerParameter(c, "page") ?? 1,
    });
    const listed = c.req.query("addresses");
    const addresses =
      listed === undefined ? undefined : parseInput(addressList, splitList(listed, "addresses"), "addresses");
    const input = { block: { kind: "latest" } as const, addresses, first: limit, skip: (page - 1) * limit };
    const found = await ask(service, c, { operation: launchesPage, input });
    c.header("X-Block-Number", String(found.point.block));
    return c.json({ data: found.entries.map(launchRecord), count: found.totalCount, page, limit });
  };

export const getLaunch =
  (service: Service) =>
  async (c: Context): Promise<Response> => {
    const requested = parseInput(address, c.req.param("address"), "address");
    const input = { address: requested, block: { kind: "latest" } as const };
    const launch = await ask(service, c, { operation: launchAt, input });
    c.header("X-Block-Number", String(launch.point.block));
    return c.json(launchRecord(launch));
  };

export const getLaunchTokenList =
  (service: Service) =>
  async (c: Context): Promise<Response> =>
    c.json(await ask(service, c, { operation: launchTokenList, input: {} }));

/** The chain is the first step of the path. @throws InvalidInputError naming `chainId` */
async function ask<Input, Output>(
  service: Service,
  c: Context,
  { operation, input }: { operation: Operation<Input, Output>; input: Input },
): Promise<Output> {
  const chainId = servedChainId(service, c.req.param("chainId"));
  return withinRequest(service, c, (scope) => scope.run(operation, input, chainId));
}

/** In whole tokens, nearest double; null without decimals. */
const inWhole = (amount: bigint | undefined, decimals: number | undefined): number | null =>
  amount === undefined || decimals === undefined ? null : toNearestDouble(amount, decimals);

/** One token of the catalogue. What is unknown is null, never 0. */
function launchRecord(launch: LaunchAt) {
  const { curve, token, base, volume } = launch;
  const unit = token.metadata?.decimals;
  const baseUnit = base.metadata?.decimals;
  return {
    id: token.address,
    address: token.address,
    name: token.metadata?.name ?? null,
    symbol: token.metadata?.symbol ?? null,
    decimals: unit ?? null,
    totalSupply: inWhole(launch.totalSupply, unit),
    poolAddress: curve.pool,
    baseToken: curve.baseToken,
    deployer: curve.deployer,
    createdAt: isoTime(curve.created.timestamp),
    createdBlock: curve.created.block,
    graduated: curve.graduated !== undefined,
    graduatedAt: curve.graduated ? isoTime(curve.graduated.timestamp) : null,
    dexPair: launch.dexPair ?? null,
    price: inWhole(shownPriceRoundedDown(launch, PRICE_DIGITS), PRICE_DIGITS),
    priceUSD: toUsdNumber(launch.priceUsd?.usd),
    marketCapUSD: toUsdNumber(marketCap(launch)),
    raised: inWhole(curve.baseReserve, baseUnit),
    totalRaise: inWhole(launch.totalRaise, baseUnit),
    progress: progressNumber(launch),
    volumeUSD: toUsdNumber(volume.usd),
    unpricedVolume: inWhole(volume.unpriced, baseUnit),
    holdersCount: launch.holdersCount ?? null,
    swapsCount: curve.swapsCount,
    description: null,
    socials: {},
    logoURI: null,
  };
}
