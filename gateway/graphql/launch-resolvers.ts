// Launched tokens: field -> operation, and the answers in the shapes of schema.graphql.
import { decimalOf } from "../numbers.ts";
import { type Address, addressList, parseInput } from "../parameters.ts";
import { toUsdDecimal } from "../prices/price.ts";
import {
  type LaunchAt,
  launchAt,
  launchesPage,
  marketCap,
  progressNumber,
  shownPriceRoundedDown,
} from "../questions/launches.ts";
import {
  type BlockArgument,
  blockChoice,
  type ChainArgument,
  type Context,
  chainId,
  type PageArguments,
  pageOf,
} from "./arguments.ts";
import { blockView, connection, metadataView, tokenView } from "./views.ts";

type ListArguments = { addresses?: Address[] | null; graduated?: boolean | null };

/** Digits behind the point of `price`: as many as the curve's own. */
const PRICE_DIGITS = 36;

export const launchQueries = {
  async launch(_: unknown, args: { address: Address } & BlockArgument & ChainArgument, { scope }: Context) {
    const input = { address: args.address, block: blockChoice(args.block) };
    return launchView(await scope.run(launchAt, input, chainId(args)), chainId(args));
  },

  async launches(_: unknown, args: ListArguments & BlockArgument & PageArguments & ChainArgument, { scope }: Context) {
    const addresses = args.addresses ? parseInput(addressList, args.addresses, "addresses") : undefined;
    const filter = { addresses, graduated: args.graduated ?? undefined };
    const input = { block: blockChoice(args.block), ...filter, ...pageOf(args) };
    const page = await scope.run(launchesPage, input, chainId(args));
    return { ...connection(page, (launch) => launchView(launch, chainId(args))), block: blockView(page.point) };
  },
};

function launchView(launch: LaunchAt, servedBy: number | undefined) {
  const { curve, base, volume, point } = launch;
  const unit = base.metadata?.decimals;
  return {
    token: tokenView(launch, servedBy),
    pool: curve.pool,
    isOwnPool: curve.pool === curve.token,
    baseToken: metadataView(base),
    deployer: curve.deployer,
    createdBlock: curve.created.block,
    createdAt: curve.created.timestamp,
    graduated: curve.graduated !== undefined,
    graduatedBlock: curve.graduated?.block ?? null,
    graduatedAt: curve.graduated?.timestamp ?? null,
    dexPair: launch.dexPair ?? null,
    price: decimalOf(shownPriceRoundedDown(launch, PRICE_DIGITS), PRICE_DIGITS),
    priceUSD: toUsdDecimal(launch.priceUsd?.usd),
    marketCapUSD: toUsdDecimal(marketCap(launch)),
    curve: {
      sqrtPa: curve.sqrtPa,
      sqrtPb: curve.sqrtPb,
      sqrtPrice: curve.sqrtPrice,
      tokensInPool: curve.tokensInPool,
      tokenReserve: curve.tokenReserve,
      tokenReserveDecimal: decimalOf(curve.tokenReserve, launch.token.metadata?.decimals),
      baseReserve: curve.baseReserve,
    },
    raised: curve.baseReserve,
    raisedDecimal: decimalOf(curve.baseReserve, unit),
    totalRaise: launch.totalRaise,
    totalRaiseDecimal: decimalOf(launch.totalRaise, unit),
    progress: progressNumber(launch),
    volume: volume.base,
    volumeDecimal: decimalOf(volume.base, unit),
    volumeUSD: toUsdDecimal(volume.usd),
    unpricedVolume: volume.unpriced,
    holdersCount: launch.holdersCount ?? null,
    swapsCount: curve.swapsCount,
    lastTradeAt: curve.trades.at(-1)?.timestamp ?? null,
    block: blockView(point),
  };
}
