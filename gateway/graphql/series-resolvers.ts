// Hours and days of markets, tokens and islands: field -> operation or loader. What is true at the end of a step is
// looked up when it is asked for.
import type { GraphQLResolveInfo } from "graphql";
import { sumIfComplete } from "../../core/amounts.ts";
import { type BucketRange, type Interval, MOST_STATE_BUCKETS, startsOf } from "../analytics/buckets.ts";
import { closeOf, feesOf, meanOfSides } from "../analytics/market-sums.ts";
import type { RequestScope } from "../context.ts";
import { InvalidInputError } from "../errors.ts";
import { toExactDecimal } from "../numbers.ts";
import type { Address } from "../parameters.ts";
import { type TokenPrice, toUsdDecimal, usdValue } from "../prices/price.ts";
import { loadersOf, type NodePlace } from "../questions/loaders.ts";
import type { MarketAt } from "../questions/markets.ts";
import { islandSeries, type SeriesInput, tokenSeries } from "../questions/series.ts";
import { type ChainArgument, chainId, type FieldCall } from "./arguments.ts";
import { fieldsBelow } from "./fields-below.ts";

interface SeriesArguments {
  interval: Interval;
  from: number;
  to?: number | null;
}

/** Of a step: what has to be looked up at its end. */
const STATE_FIELDS = ["priceUSD", "price0USD", "price1USD", "volumeUSD", "tvlUSD", "wallets", "holders"];

/** One refusal for all steps, before any is resolved. @throws InvalidInputError naming `from` */
function requireFewStates(range: BucketRange, info: GraphQLResolveInfo): void {
  const steps = startsOf(range).length;
  if (steps <= MOST_STATE_BUCKETS) return;
  const selected = fieldsBelow(info);
  const fields = STATE_FIELDS.filter((field) => selected.has(field));
  if (fields.length === 0) return;
  const problem = `the series has ${steps} steps; at most ${MOST_STATE_BUCKETS} may ask for prices, values or holders`;
  throw new InvalidInputError("from", `${problem}. Ask for fewer steps, or leave out ${fields.join(", ")}`);
}

const inputOf = ({ interval, from, to }: SeriesArguments): SeriesInput => ({ interval, from, to: to ?? undefined });

/** One step; all that is looked up at its end hangs on this. */
class Step {
  readonly start: number;
  readonly end: number;
  readonly place: NodePlace;
  readonly #scope: RequestScope;

  constructor(start: number, at: { range: BucketRange; place: NodePlace; scope: RequestScope }) {
    this.start = start;
    this.end = start + at.range.width;
    this.place = at.place;
    this.#scope = at.scope;
  }

  /** The last block of it; undefined before the first indexed one. */
  async last(): Promise<NodePlace | undefined> {
    const point = await loadersOf(this.#scope).before(this.place).load(this.end);
    return point && { chainId: this.place.chainId, point };
  }

  block = async (): Promise<number | null> => (await this.last())?.point.block ?? null;

  async price(token: Address): Promise<TokenPrice | undefined> {
    const place = await this.last();
    return place && loadersOf(this.#scope).priceThen(this.place).load({ token, point: place.point });
  }

  async priceUSD(token: Address): Promise<string | null> {
    return toUsdDecimal((await this.price(token))?.usd);
  }

  /** USD times the scale of prices; undefined: unpriced. */
  async value(token: Address, amount: bigint): Promise<bigint | undefined> {
    const price = await this.price(token);
    const { metadata } = await loadersOf(this.#scope).token(this.place).load(token);
    return price && metadata?.decimals !== undefined ? usdValue(price, amount, metadata.decimals) : undefined;
  }

  /** USD of what stands behind all of a share, times the scale of prices; undefined: unknown, or some of it unpriced. */
  async backing(share: Address): Promise<bigint | undefined> {
    const place = await this.last();
    const parts = place
      ? await loadersOf(this.#scope).backedThen(this.place).load({ token: share, point: place.point })
      : [];
    const worth = parts.map(({ token, amount }) => (amount === 0n ? 0n : this.value(token, amount)));
    return parts.length === 0 ? undefined : sumIfComplete(await Promise.all(worth));
  }

  /** The worth of nothing is 0 even without a price; null before the first indexed block, about which nothing is known. */
  async nothing(): Promise<string | null> {
    return (await this.last()) ? toUsdDecimal(0n) : null;
  }

  /** In whole tokens; null where it is not known, or without decimals. */
  async decimal(token: Address, amount: bigint | null): Promise<string | null> {
    const { metadata } = await loadersOf(this.#scope).token(this.place).load(token);
    return amount === null || metadata?.decimals === undefined ? null : toExactDecimal(amount, metadata.decimals);
  }

  async holders(token: Address) {
    const place = await this.last();
    return place && loadersOf(this.#scope).holders(place).load(token);
  }
}

const tokenFields = (step: Step, token: Address) => ({
  priceUSD: () => step.priceUSD(token),
  wallets: async () => (await step.holders(token))?.wallets ?? null,
  holders: async () => (await step.holders(token))?.holders ?? null,
});

const stepFields = (step: Step) => ({ start: step.start, end: step.end, block: step.block });

type MarketNode = MarketAt & { place: NodePlace };

async function tvlOf(market: MarketNode, step: Step, scope: RequestScope): Promise<string | null> {
  const place = await step.last();
  if (!place) return null;
  // asked for before anything is waited for, so that the prices of all steps are looked up together
  const prices = Promise.all([step.price(market.token0), step.price(market.token1)]);
  const [[amount0, amount1]] = await Promise.all([loadersOf(scope).holdings(place).load(market), prices]);
  // an amount of 0 is worth 0 USD, even without a price
  const worth = (token: Address, amount: bigint | undefined) =>
    amount === undefined || amount === 0n ? amount : step.value(token, amount);
  const value1 = await worth(market.token1, amount1);
  // what a curve has not sold yet is nobody's
  if (market.protocol === "curve") return toUsdDecimal(value1);
  const value0 = await worth(market.token0, amount0);
  return value0 === undefined || value1 === undefined ? null : toUsdDecimal(value0 + value1);
}

/** `Market.series` */
export async function marketBuckets(...[market, args, { scope }, info]: FieldCall<SeriesArguments, MarketNode>) {
  const { place, token0, token1, fee } = market;
  const loaders = loadersOf(scope);
  const { range, sums, closes } = await loaders.series(place, inputOf(args)).load(market);
  requireFewStates(range, info);
  const starts = startsOf(range);
  loaders.takeSteps(starts.length);
  return starts.map((start) => {
    const step = new Step(start, { range, place, scope });
    const sum = sums.get(start);
    const close = closes.get(start);
    const [volume0, volume1] = [BigInt(sum?.volume0 ?? 0), BigInt(sum?.volume1 ?? 0)];
    const [fees0, fees1] = [feesOf(sum?.in0, fee), feesOf(sum?.in1, fee)];
    return {
      ...stepFields(step),
      trades: sum?.trades ?? 0,
      volume0,
      volume1,
      fees0,
      fees1,
      volume0Decimal: () => step.decimal(token0, volume0),
      volume1Decimal: () => step.decimal(token1, volume1),
      fees0Decimal: () => step.decimal(token0, fees0),
      fees1Decimal: () => step.decimal(token1, fees1),
      async close() {
        if (!close || !sum) return null;
        const [one, other] = await loaders.token(place).loadMany([token0, token1]);
        const decimals = [one, other].map((token) => (token instanceof Error ? undefined : token?.metadata?.decimals));
        return closeOf(market.protocol, close, decimals);
      },
      price0USD: () => step.priceUSD(token0),
      price1USD: () => step.priceUSD(token1),
      volumeUSD: async () =>
        sum
          ? toUsdDecimal(
              meanOfSides(...(await Promise.all([step.value(token0, volume0), step.value(token1, volume1)]))),
            )
          : step.nothing(),
      tvlUSD: () => tvlOf(market, step, scope),
    };
  });
}

export const seriesQueries = {
  async tokenSeries(...[, args, { scope }, info]: FieldCall<SeriesArguments & { token: Address } & ChainArgument>) {
    const { token } = args;
    const series = await scope.run(tokenSeries, { ...inputOf(args), token }, chainId(args));
    requireFewStates(series.range, info);
    const place = { chainId: chainId(args), point: series.point };
    return startsOf(series.range).map((start) => {
      const step = new Step(start, { range: series.range, place, scope });
      const volume = BigInt(series.trades.get(start)?.amount ?? 0);
      return {
        ...stepFields(step),
        ...tokenFields(step, token),
        transfers: series.transfers.get(start)?.n ?? 0,
        transferred: BigInt(series.transfers.get(start)?.amount ?? 0),
        trades: series.trades.get(start)?.n ?? 0,
        volume,
        volumeUSD: async () => (volume === 0n ? step.nothing() : toUsdDecimal(await step.value(token, volume))),
      };
    });
  },

  async islandSeries(...[, args, { scope }, info]: FieldCall<SeriesArguments & { island: Address } & ChainArgument>) {
    const { island } = args;
    const series = await scope.run(islandSeries, { ...inputOf(args), island }, chainId(args));
    requireFewStates(series.range, info);
    const place = { chainId: chainId(args), point: series.point };
    const { mint, burn, fees } = series.flows;
    const of = (flow: typeof mint, start: number, side: "amount0" | "amount1") => BigInt(flow.get(start)?.[side] ?? 0);
    return startsOf(series.range).map((start) => {
      const step = new Step(start, { range: series.range, place, scope });
      return {
        ...stepFields(step),
        ...tokenFields(step, island),
        mints: mint.get(start)?.n ?? 0,
        burns: burn.get(start)?.n ?? 0,
        minted0: of(mint, start, "amount0"),
        minted1: of(mint, start, "amount1"),
        burned0: of(burn, start, "amount0"),
        burned1: of(burn, start, "amount1"),
        fees0: of(fees, start, "amount0"),
        fees1: of(fees, start, "amount1"),
        tvlUSD: async () => toUsdDecimal(await step.backing(island)),
      };
    });
  },
};
