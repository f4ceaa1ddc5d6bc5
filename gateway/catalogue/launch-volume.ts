// What was traded on launch curves in USD, each trade at the price that its base token had when it happened. Prices are
// stored: one request looks up only a limited number of them.
import type { LaunchCurve } from "../../core/launch/replay.ts";
import { type AnswerPlace, FINAL } from "../cache/answer-cache.ts";
import { question } from "../cache/question.ts";
import type { OperationContext } from "../context.ts";
import type { Snapshot } from "../database/snapshot.ts";
import { type BlockPoint, pointsOf, type TimedPoint } from "../history/point.ts";
import type { Address } from "../parameters.ts";
import { poolPricesOver } from "../prices/pool-prices-over.ts";
import { usdValue } from "../prices/price.ts";
import { arePricesFinal, pricesAt } from "../prices/price-book.ts";
import { neverPooled } from "../prices/prices-over.ts";

/** Work for one request; the next one carries on. */
const LONGEST_WORK_MS = 2_000;
/** Blocks whose prices are looked up together lie within this many seconds; below, how many they are at most. */
const TOGETHER_SECONDS = 86_400;
const MOST_TOGETHER = 500;

export interface LaunchVolume {
  /** Raw base units. */
  base: bigint;
  /**
   * USD × 10^36 of all trades that could be priced, each block's rounded down; undefined until all have been looked
   * at, and where there are trades but not one of them could be priced.
   */
  usd: bigint | undefined;
  /** Raw base units of trades at whose time the base token had no price. */
  unpriced: bigint;
  /** Whether all trades have been looked at. */
  isWhole: boolean;
}

/** USD × 10^36 of one whole `base` token at the end of `block`; null: it had no price; undefined: not looked up yet. */
type UsdThen = (base: string, block: number) => bigint | null | undefined;

/** `decimals` of the base token; without them nothing can be valued. */
export function volumeOf(curve: LaunchCurve, decimals: number | undefined, usdThen: UsdThen): LaunchVolume {
  const volume = { base: 0n, usd: 0n, unpriced: 0n, isWhole: true };
  for (const { block, base } of curve.trades) {
    volume.base += base;
    const usd = decimals === undefined ? null : usdThen(curve.baseToken, block);
    if (usd === undefined) volume.isWhole = false;
    else if (usd === null || decimals === undefined) volume.unpriced += base;
    else volume.usd += usdValue({ usd }, base, decimals);
  }
  const isPriced = volume.isWhole && (volume.unpriced === 0n || volume.unpriced < volume.base);
  return isPriced ? volume : { ...volume, usd: undefined };
}

/** Of one whole base token where it was traded; null: it had no price. There are as many as blocks with trades. */
const tradePrices = question<bigint | null>("launch-trade-prices", { unusedMs: 600_000 });

const finalPlace = (base: string, block: number): AnswerPlace => ({ at: FINAL, key: `${base} ${block}` });
const youngPlace = (base: string, { hash }: Pick<TimedPoint, "hash">): AnswerPlace => ({ at: hash, key: base });

/** Prices that a request has at hand, by base token and block: those stored of final blocks among them. */
class PricesThen {
  readonly #prices = new Map<string, Map<number, bigint | null>>();
  readonly #snapshot: Snapshot;
  readonly #finalized: number;
  readonly #areFinal: boolean;

  /** `areFinal`: prices do not change any more, whatever is read about tokens later. */
  constructor(snapshot: Snapshot, { finalized, areFinal }: { finalized: number; areFinal: boolean }) {
    this.#snapshot = snapshot;
    this.#finalized = finalized;
    this.#areFinal = areFinal;
  }

  get(base: string, block: number): bigint | null | undefined {
    const own = this.#prices.get(base)?.get(block);
    if (own !== undefined || block > this.#finalized) return own;
    const stored = this.#stored(finalPlace(base, block));
    if (stored !== undefined) this.#note(base, block, stored);
    return stored;
  }

  /** Whether prices of all `bases` are stored for a block that is not final. */
  hasYoung(point: TimedPoint, bases: readonly Address[]): boolean {
    if (point.block <= this.#finalized) return false;
    const prices = bases.map((base) => this.#stored(youngPlace(base, point)));
    for (const [i, base] of bases.entries()) {
      const usd = prices[i];
      if (usd !== undefined) this.#note(base, point.block, usd);
    }
    return !prices.includes(undefined);
  }

  set(base: string, point: TimedPoint, usd: bigint | null): void {
    this.#note(base, point.block, usd);
    const place = point.block <= this.#finalized ? finalPlace(base, point.block) : youngPlace(base, point);
    this.#snapshot.cache.set(tradePrices, usd === null || !this.#areFinal ? this.#ofNow(place) : place, usd);
  }

  #stored(place: AnswerPlace): bigint | null | undefined {
    const { cache } = this.#snapshot;
    const price = cache.get(tradePrices, place);
    return price === undefined ? cache.get(tradePrices, this.#ofNow(place)) : price;
  }

  /** A missing price, or one made without some token's decimals, may change when more has been read about tokens. */
  #ofNow(place: AnswerPlace): AnswerPlace {
    return { ...place, revision: this.#snapshot.state.revision };
  }

  #note(base: string, block: number, usd: bigint | null): void {
    this.#prices.set(base, (this.#prices.get(base) ?? new Map()).set(block, usd));
  }
}

/** Prices of the base tokens of `curves` at all blocks with trades, as many as there is time for. */
export async function usdOfTrades(
  context: OperationContext,
  point: BlockPoint,
  curves: readonly LaunchCurve[],
): Promise<UsdThen> {
  const every = [...new Set(curves.map(({ baseToken }) => baseToken as Address))];
  const now = await pricesAt(context, point, every);
  // A fixed price is the same at all blocks: there is nothing to look up.
  const bases = every.filter((base) => now.get(base)?.strategy !== "fixed");
  const areFinal = await arePricesFinal(context, point);
  const then = new PricesThen(context.snapshot, { finalized: point.finalized, areFinal });
  const usdThen: UsdThen = (base, block) => {
    const price = now.get(base as Address);
    return price?.strategy === "fixed" ? price.usd : then.get(base, block);
  };
  const needBook = await neverPooled(context, [point], bases);
  const byPools = new Set<string>(bases.filter((base) => !needBook.has(base)));
  const until = performance.now() + LONGEST_WORK_MS;
  const unpriced = await tradesToPrice(context, point, { curves, usdThen });
  for (const points of together(unpriced.filter((one) => !then.hasYoung(one, bases)))) {
    const prices = await usdAt(context, points, { bases, byPools, until });
    for (const [base, at, usd] of prices) then.set(base, at, usd);
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
): Promise<[base: Address, at: TimedPoint, usd: bigint | null][]> {
  const pooled = await poolPricesOver(
    context,
    points,
    bases.filter((base) => byPools.has(base)),
  );
  const prices: [Address, TimedPoint, bigint | null][] = [];
  for (const point of points) {
    const others = bases.filter((base) => !byPools.has(base));
    const inBooks = others.length > 0 ? await pricesAt(context, point, others) : new Map();
    for (const base of bases) {
      const usd = byPools.has(base) ? pooled.get(point.block)?.get(base)?.usd : inBooks.get(base)?.usd;
      prices.push([base, point, usd ?? null]);
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

/** Blocks with trades at which a base token's price has not been looked up yet. */
async function tradesToPrice(
  { snapshot }: OperationContext,
  point: BlockPoint,
  { curves, usdThen }: { curves: readonly LaunchCurve[]; usdThen: UsdThen },
): Promise<TimedPoint[]> {
  const blocks = curves.flatMap(({ baseToken, trades }) =>
    trades.flatMap(({ block }) => (usdThen(baseToken, block) === undefined ? [block] : [])),
  );
  if (blocks.length === 0) return [];
  return [...(await pointsOf(snapshot, point, [...new Set(blocks)])).values()];
}
