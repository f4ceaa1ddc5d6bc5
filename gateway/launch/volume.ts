// What was traded on launch curves in USD, each trade at the price that its base token had when it happened. Prices at
// final blocks are remembered: one request looks only so many of them up.
import type { LaunchCurve } from "../../core/launch/replay.ts";
import type { OperationContext } from "../context.ts";
import { keepAnswers } from "../ledger/kept-answers.ts";
import type { BlockPoint } from "../ledger/point.ts";
import type { Address } from "../parameters.ts";
import { poolPricesOver, type TimedPoint } from "../prices/pool-prices-over.ts";
import { usdValue } from "../prices/price.ts";
import { pricesAt, unpricedBehind } from "../prices/prices-at.ts";

/** Work for one request; the next one carries on. */
const LONGEST_WORK_MS = 2_000;
/** Blocks whose prices are looked up together lie within so many seconds, and are so many at most. */
const TOGETHER_SECONDS = 86_400;
const MOST_TOGETHER = 500;

export interface LaunchVolume {
  /** Raw base units. */
  base: bigint;
  /**
   * USD × USD_SCALE of all trades that could be priced, each block's rounded down; undefined until all have been looked
   * at, and where there are trades but not one of them could be priced.
   */
  usd: bigint | undefined;
  /** Raw base units of trades at whose time the base token had no price. */
  unpriced: bigint;
}

/** USD × USD_SCALE of one whole `base` token at the end of `block`; null: it had no price; undefined: not looked up yet. */
export type UsdThen = (base: string, block: number) => bigint | null | undefined;

/** `decimals` of the base token; without them nothing can be valued. */
export function volumeOf(curve: LaunchCurve, decimals: number | undefined, usdThen: UsdThen): LaunchVolume {
  const volume = { base: 0n, usd: 0n, unpriced: 0n };
  let isWhole = true;
  for (const { block, base } of curve.trades) {
    volume.base += base;
    const usd = decimals === undefined ? null : usdThen(curve.baseToken, block);
    if (usd === undefined) isWhole = false;
    else if (usd === null || decimals === undefined) volume.unpriced += base;
    else volume.usd += usdValue({ usd }, base, decimals);
  }
  const isKnown = isWhole && (volume.unpriced === 0n || volume.unpriced < volume.base);
  return isKnown ? volume : { ...volume, usd: undefined };
}

type Known = Map<string, Map<number, bigint | null>>;

/** Prices at final blocks, of the index they were made from: by base token and block. */
const known = new Map<number, { index: string; prices: Known }>();

function knownPrices({ chain, snapshot }: OperationContext): Known {
  const ofChain = known.get(chain.chainId);
  if (ofChain?.index === snapshot.index) return ofChain.prices;
  const prices: Known = new Map();
  known.set(chain.chainId, { index: snapshot.index, prices });
  return prices;
}

/** Prices of one base token at one block that is not final yet: the block's hash decides them. */
const youngPrices = keepAnswers<bigint>({ most: 20_000, weigh: () => 1 });

const aboutOf = (base: string): string => `${base} where it was traded`;

/** Takes what is known of `points` into `young`, and gives those that are to be looked up. */
function unknownAmong(
  { snapshot: { index } }: OperationContext,
  points: readonly TimedPoint[],
  { bases, young }: { bases: readonly Address[]; young: Known },
): TimedPoint[] {
  return points.filter((point) => {
    if (point.block <= point.watermark) return true;
    const prices = bases.map((base) => youngPrices.known({ index, point, about: aboutOf(base) }));
    for (const [i, base] of bases.entries()) {
      const usd = prices[i];
      if (usd !== undefined) note(young, { base, block: point.block, usd });
    }
    return prices.includes(undefined);
  });
}

/** Those that have no price yet may have one when more is known of their tokens. */
function keepYoung({ snapshot: { index } }: OperationContext, points: readonly TimedPoint[], young: Known): void {
  for (const point of points.filter(({ block, watermark }) => block > watermark)) {
    for (const [base, ofBlocks] of young) {
      const usd = ofBlocks.get(point.block);
      if (usd != null) youngPrices.keep({ index, point, about: aboutOf(base) }, usd);
    }
  }
}

function note(prices: Known, { base, block, usd }: { base: string; block: number; usd: bigint | null }): void {
  prices.set(base, (prices.get(base) ?? new Map()).set(block, usd));
}

/** Prices of the base tokens of `curves` at all blocks with trades, as many as there is time for. */
export async function usdOfTrades(
  context: OperationContext,
  point: BlockPoint,
  curves: readonly LaunchCurve[],
): Promise<UsdThen> {
  const every = [...new Set(curves.map(({ baseToken }) => baseToken as Address))];
  const now = await pricesAt(context, point, every);
  // A fixed price is the same at all blocks, and nothing is to be looked up.
  const bases = every.filter((base) => now.get(base)?.strategy !== "fixed");
  const final = knownPrices(context);
  const young: Known = new Map();
  const usdThen: UsdThen = (base, block) => {
    const price = now.get(base as Address);
    if (price?.strategy === "fixed") return price.usd;
    const then = final.get(base)?.get(block);
    return then === undefined ? young.get(base)?.get(block) : then;
  };
  const shares = await unpricedBehind(context, point, bases);
  const byPools = new Set<string>(
    bases.filter((base) => !shares.has(base) && ["pool", undefined].includes(now.get(base)?.strategy)),
  );
  const until = performance.now() + LONGEST_WORK_MS;
  const unpriced = await tradesToPrice(context, point, { curves, usdThen });
  for (const points of together(unknownAmong(context, unpriced, { bases, young }))) {
    const prices = await usdAt(context, points, { bases, byPools, until });
    for (const [base, block, usd] of prices) note(block > point.watermark ? young : final, { base, block, usd });
    keepYoung(context, points, young);
    if (performance.now() > until) break;
  }
  return usdThen;
}

/**
 * Tokens that pools alone can price are looked up for all points at once, others one point after the other: as many as
 * there is time for, at least one.
 */
async function usdAt(
  context: OperationContext,
  points: readonly TimedPoint[],
  { bases, byPools, until }: { bases: readonly Address[]; byPools: ReadonlySet<string>; until: number },
): Promise<[base: Address, block: number, usd: bigint | null][]> {
  const pooled = await poolPricesOver(
    context,
    points,
    bases.filter((base) => byPools.has(base)),
  );
  const prices: [Address, number, bigint | null][] = [];
  for (const point of points) {
    const others = bases.filter((base) => !byPools.has(base));
    const booked = others.length > 0 ? await pricesAt(context, point, others) : new Map();
    for (const base of bases) {
      const usd = byPools.has(base) ? pooled.get(point.block)?.get(base)?.usd : booked.get(base)?.usd;
      prices.push([base, point.block, usd ?? null]);
    }
    if (others.length > 0 && performance.now() > until) break;
  }
  return prices;
}

/** The newest first, each group ascending. */
function together(points: readonly TimedPoint[]): TimedPoint[][] {
  const groups: TimedPoint[][] = [];
  for (const point of [...points].sort((a, b) => b.block - a.block)) {
    const group = groups.at(-1);
    const newest = group?.at(-1);
    const isNear = newest !== undefined && newest.timestamp - point.timestamp <= TOGETHER_SECONDS;
    if (group && isNear && group.length < MOST_TOGETHER) group.unshift(point);
    else groups.push([point]);
  }
  return groups;
}

/** Blocks with trades at which a base token's price has not been looked up yet, and whose rows are there. */
async function tradesToPrice(
  { snapshot }: OperationContext,
  { lastSynced, watermark }: BlockPoint,
  { curves, usdThen }: { curves: readonly LaunchCurve[]; usdThen: UsdThen },
): Promise<TimedPoint[]> {
  const blocks = curves.flatMap(({ baseToken, trades }) =>
    trades.flatMap(({ block }) => (usdThen(baseToken, block) === undefined ? [block] : [])),
  );
  if (blocks.length === 0) return [];
  const rows = await snapshot.withFacts((facts) =>
    facts.rows<{ block: number; hash: string; timestamp: number }>(
      `select number as block, hash, timestamp from ${facts.schemas.ponder}.block
        where number in (select unnest(string_to_array($1, ','))::int4)`,
      [[...new Set(blocks)].join(",")],
    ),
  );
  return rows.map((row) => ({ ...row, lastSynced, watermark }));
}
