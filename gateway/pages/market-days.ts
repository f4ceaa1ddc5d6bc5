// What was traded in a market day by day, up to the page's block.
import { sumIfComplete } from "../../core/amounts.ts";
import { startsOf } from "../analytics/buckets.ts";
import { closeOf, feesOf, meanOfSides } from "../analytics/market-sums.ts";
import type { Address } from "../parameters.ts";
import type { MarketAt } from "../questions/markets.ts";
import { marketSeries, pointsBefore } from "../questions/series.ts";
import { type TokenThen, tokenPricesThen } from "../questions/token-details.ts";
import { type KnownTokens, worthOf } from "./known-tokens.ts";
import type { ShownBlock, ViewRequest } from "./view.ts";

const DAY = 86_400;
/** How many days are read, the block's own included. */
export const DAYS_SHOWN = 14;

/** One day by the UTC clock; the last one ends with the block. */
export interface MarketDay {
  /** Unix seconds. */
  start: number;
  trades: number;
  /** Raw units that came in and went out. */
  volumes: readonly [bigint, bigint];
  /** Raw units; null where facts have no rate. */
  fees: readonly [bigint | null, bigint | null];
  /** USD × 10^36 at the prices of the day's last block; undefined without one. */
  volumeUsd: bigint | undefined;
  feesUsd: bigint | undefined;
  /** Whole token1 per whole token0 after the last trade; null without one. */
  close: number | null;
}

/** Ascending; none where the block's time is not known. @throws what the questions of the series throw */
export async function marketDays(
  { ask }: Pick<ViewRequest, "ask">,
  { at, market, tokens }: { at: ShownBlock; market: MarketAt; tokens: KnownTokens },
): Promise<MarketDay[]> {
  if (at.timestamp === undefined) return [];
  const input = { interval: "day", from: at.timestamp - (DAYS_SHOWN - 1) * DAY, to: at.timestamp } as const;
  const [series] = await ask(marketSeries(input), { keys: [market], point: at });
  if (!series) return [];
  const { range, sums, closes } = series;
  const traded = [...sums.keys()].sort((a, b) => a - b);
  const { token0, token1, protocol, fee } = market;
  const points = await ask(pointsBefore, { keys: traded.map((start) => start + range.width), point: at });
  const keys = points.flatMap((point) => (point ? [token0, token1].map((token): TokenThen => ({ token, point })) : []));
  const prices = await ask(tokenPricesThen, { keys });
  const priceOf = (token: Address, block: number | undefined) =>
    prices[keys.findIndex((key) => key.token === token && key.point.block === block)];
  const decimals = [token0, token1].map((token) => tokens.get(token)?.token.metadata?.decimals);
  return startsOf(range).map((start): MarketDay => {
    const [sum, close] = [sums.get(start), closes.get(start)];
    const block = points[traded.indexOf(start)]?.block;
    const worth = (token: Address, amount: bigint | null) => {
      const known = tokens.get(token);
      return known && amount !== null ? worthOf({ ...known, price: priceOf(token, block) }, amount) : undefined;
    };
    // a token in which no fee was taken adds nothing to their worth, whether it has a price or not
    const feeWorth = (token: Address, amount: bigint | null) => (amount === 0n ? 0n : worth(token, amount));
    const volumes = [BigInt(sum?.volume0 ?? 0), BigInt(sum?.volume1 ?? 0)] as const;
    const fees = [feesOf(sum?.in0, fee), feesOf(sum?.in1, fee)] as const;
    return {
      start,
      trades: sum?.trades ?? 0,
      volumes,
      fees,
      volumeUsd: sum ? meanOfSides(worth(token0, volumes[0]), worth(token1, volumes[1])) : 0n,
      feesUsd: sum ? sumIfComplete([feeWorth(token0, fees[0]), feeWorth(token1, fees[1])]) : 0n,
      close: close && sum ? closeOf(protocol, close, decimals) : null,
    };
  });
}
