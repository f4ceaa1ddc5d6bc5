// What happened hour by hour or day by day: sums of facts, in a fixed number of statements however many are asked about.
import { type BucketRange, bucketsBetween, type Interval } from "../analytics/buckets.ts";
import {
  type Close,
  closesText,
  type IslandSums,
  islandSumsText,
  type Protocol,
  type SeriesSpan,
  type TokenSums,
  type TradeSums,
  tradedText,
  tradeSumsText,
  transferSumsText,
} from "../analytics/series-sql.ts";
import { heldOfBoth } from "../backing/ledger.ts";
import { ledgerAt } from "../backing/ledger-at.ts";
import type { Operation, OperationContext } from "../context.ts";
import type { Snapshot } from "../database/snapshot.ts";
import { InvalidInputError } from "../errors.ts";
import { asOf } from "../history/as-of.ts";
import { blocksAt } from "../history/blocks-at.ts";
import { type BlockPoint, pointOf, pointsOf } from "../history/point.ts";
import { readBounded, readFacts } from "../history/raw-facts.ts";
import { readTokens } from "../history/read-tokens.ts";
import { unknownAmong } from "../history/token-state.ts";
import type { Address } from "../parameters.ts";
import { islandsAmong } from "../protocols/island/islands-at.ts";
import { locateToken } from "./locate-token.ts";
import type { MarketAt } from "./markets.ts";

export interface SeriesInput {
  interval: Interval;
  from: number;
  /** The last block's time without it, and where it lies beyond that. */
  to: number | undefined;
}

export interface MarketSeries {
  range: BucketRange;
  /** By the second in which a step begins. */
  sums: ReadonlyMap<number, TradeSums>;
  closes: ReadonlyMap<number, Close>;
}

/** Up to the last block's step: nothing is known about later ones, so zeros there would be wrong. */
function rangeOf({ interval, from, to }: SeriesInput, { timestamp }: BlockPoint): BucketRange {
  const last = timestamp ?? from;
  return bucketsBetween(interval, from, Math.min(to ?? last, last));
}

/** The blocks of a range of steps, up to `point`. */
async function seriesSpan(snapshot: Snapshot, range: BucketRange, point: BlockPoint): Promise<SeriesSpan> {
  const { width, first, last } = range;
  const [before, end] = await blocksAt(snapshot, [first - 1, last + width - 1]);
  return { span: { from: (before ?? -1) + 1, to: Math.min(end ?? -1, point.block) }, width };
}

const byPool = <Row extends { pool: Address; bucket: number }>(rows: readonly Row[]) => {
  const pools = new Map<Address, Map<number, Row>>();
  for (const row of rows) {
    const buckets = pools.get(row.pool) ?? new Map<number, Row>();
    pools.set(row.pool, buckets.set(row.bucket, row));
  }
  return pools;
};

/** Of each market, in the order asked. @throws InvalidInputError naming `from`; TooManyFactsError */
export const marketSeries = (
  input: SeriesInput,
): Operation<{ keys: readonly MarketAt[]; point: BlockPoint }, MarketSeries[]> => ({
  name: "series",
  async run({ keys, point }, { snapshot }) {
    const range = rangeOf(input, point);
    const pools = new Map<Protocol, Address[]>();
    for (const { protocol, address } of keys) pools.set(protocol, [...(pools.get(protocol) ?? []), address]);
    const series = await seriesSpan(snapshot, range, point);
    return readFacts(snapshot, async (facts) => {
      const [sumsText, lastText] = [tradeSumsText(facts, series, pools), closesText(facts, series, pools)];
      const sums = byPool(sumsText === undefined ? [] : await readBounded<TradeSums>(facts, sumsText));
      const closes = byPool(lastText === undefined ? [] : await readBounded<Close>(facts, lastText));
      return keys.map(({ address }) => ({
        range,
        sums: sums.get(address) ?? new Map(),
        closes: closes.get(address) ?? new Map(),
      }));
    });
  },
});

const byBucket = <Row extends { bucket: number }>(rows: readonly Row[]): ReadonlyMap<number, Row> =>
  new Map(rows.map((row) => [row.bucket, row]));

interface TokenSeries {
  point: BlockPoint;
  range: BucketRange;
  transfers: ReadonlyMap<number, TokenSums>;
  trades: ReadonlyMap<number, TokenSums>;
}

/** @throws InvalidInputError naming `from`; TooManyFactsError; what locateToken throws */
export const tokenSeries: Operation<SeriesInput & { token: Address }, TokenSeries> = {
  name: "series",
  async run(input, context) {
    const { snapshot } = context;
    const { point } = await locateToken(context, { token: input.token, block: { kind: "latest" } });
    const range = rangeOf(input, point);
    const series = await seriesSpan(snapshot, range, point);
    return readFacts(snapshot, async (facts) => {
      const transfers = await readBounded<TokenSums>(facts, transferSumsText(facts, series, input.token));
      const trades = await readBounded<TokenSums>(facts, tradedText(facts, series, input.token));
      return { point, range, transfers: byBucket(transfers), trades: byBucket(trades) };
    });
  },
};

interface IslandSeries {
  point: BlockPoint;
  range: BucketRange;
  /** By kind and bucket. */
  flows: Readonly<Record<IslandSums["kind"], ReadonlyMap<number, IslandSums>>>;
}

/** @throws TokenNotTrackedError; InvalidInputError naming `island` */
async function requireIsland(context: OperationContext, point: BlockPoint, island: Address): Promise<void> {
  const [found] = context.chain.islands ? await islandsAmong(asOf(context.snapshot, point), [island]) : [];
  if (found) return;
  await locateToken(context, { token: island, block: { kind: "latest" } });
  throw new InvalidInputError("island", "is a token, not an island; ask `tokenSeries`");
}

/** @throws InvalidInputError naming `from` or `island`; TokenNotTrackedError; TooManyFactsError; what pointOf throws */
export const islandSeries: Operation<SeriesInput & { island: Address }, IslandSeries> = {
  name: "series",
  async run(input, context) {
    const { snapshot } = context;
    const point = await pointOf(context, { kind: "latest" });
    await requireIsland(context, point, input.island);
    const range = rangeOf(input, point);
    const series = await seriesSpan(snapshot, range, point);
    const rows = await readFacts(snapshot, (facts) =>
      readBounded<IslandSums>(facts, islandSumsText(facts, series, input.island)),
    );
    const of = (kind: IslandSums["kind"]) => byBucket(rows.filter((row) => row.kind === kind));
    return { point, range, flows: { mint: of("mint"), burn: of("burn"), fees: of("fees") } };
  },
};

/** The last block before each of the times, in the order asked; undefined before the first indexed one. */
export const pointsBefore: Operation<{ keys: readonly number[]; point: BlockPoint }, (BlockPoint | undefined)[]> = {
  name: "series",
  async run({ keys, point }, { snapshot }) {
    const ends = keys.map((time) => time - 1);
    const blocks = (await blocksAt(snapshot, ends)).map((block) =>
      block === undefined ? undefined : Math.min(block, point.block),
    );
    const found = await pointsOf(snapshot, point, [...new Set(blocks.flatMap((block) => block ?? []))]);
    return blocks.map((block) => (block === undefined ? undefined : found.get(block)));
  },
};

/** What the address of a market holds of both its tokens, raw units; undefined where that is unknown. */
export type MarketHoldings = readonly [bigint | undefined, bigint | undefined];

/** At the end of a block. */
export const marketHoldings: Operation<{ keys: readonly MarketAt[]; point: BlockPoint }, MarketHoldings[]> = {
  name: "series",
  async run({ keys, point }, context) {
    const tokens = new Set(keys.flatMap(({ token0, token1 }) => [token0, token1]));
    const [held, states] = await Promise.all([
      heldOfBoth(ledgerAt(context, point), keys),
      readTokens(context, [...tokens]),
    ]);
    const unknown = unknownAmong(states, { chain: context.chain, point });
    return keys.map(({ token0, token1 }, i) => {
      const [held0, held1] = held[i] ?? [];
      return [unknown.has(token0) ? undefined : held0, unknown.has(token1) ? undefined : held1];
    });
  },
};
