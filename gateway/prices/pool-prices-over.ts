// Prices through pools at many blocks: the pools' history is read once for all of them, where price-book.ts reads it for one
// block. Shares and curves, which that one covers too, are left out.
import { setImmediate as nextTurn } from "node:timers/promises";
import { meanOf, type PoolMean } from "../../core/prices/mean-price.ts";
import { walkPrices } from "../../core/prices/price-graph.ts";
import { FINE_USD_DECIMALS, parseUsd, USD_DECIMALS } from "../../core/prices/usd.ts";
import type { OperationContext } from "../context.ts";
import type { Snapshot } from "../database/snapshot.ts";
import { blocksAt } from "../history/blocks-at.ts";
import { type HistoryRange, RANGES, rangeParameters } from "../history/history-ranges.ts";
import type { TimedPoint } from "../history/point.ts";
import { readTokens } from "../history/read-tokens.ts";
import type { TokenState } from "../history/token-state.ts";
import type { Address } from "../parameters.ts";
import { allPairs, type V2Pair } from "../protocols/v2/pairs-at.ts";
import { decimalsOf, pricedAs } from "./settle-prices.ts";
import { v2Moments } from "./v2-moments.ts";
import { v3Moments } from "./v3-moments.ts";
import { MEAN_SECONDS, type PriceWindow, type WindowedPool } from "./window.ts";

/** USD × 10^36 of one whole token, and the pools from the fixed token to it. */
interface PooledPrice {
  usd: bigint;
  path: readonly Address[];
}

/**
 * The price of each of `tokens` that pools price, at the end of each of `points`, which ascend; by block. For a token that is
 * neither a share nor on a curve it is what `pricesAt` says.
 */
export async function poolPricesOver(
  context: OperationContext,
  points: readonly TimedPoint[],
  tokens: readonly Address[],
): Promise<ReadonlyMap<number, ReadonlyMap<Address, PooledPrice>>> {
  const found = new Map<number, ReadonlyMap<Address, PooledPrice>>();
  if (points.length === 0 || tokens.length === 0) return found;
  const market = await readPools(context, points);
  for (const point of points) {
    const walked = walkPrices({ ...market.terms, pools: market.meansAt(point).sound });
    const prices = tokens.flatMap((token): [Address, PooledPrice][] => {
      const { usd: fine = 0n, path = [] } = walked.get(pricedAs(context.chain, token)) ?? {};
      const usd = fine / 10n ** BigInt(FINE_USD_DECIMALS - USD_DECIMALS);
      return usd > 0n ? [[token, { usd, path: path as readonly Address[] }]] : [];
    });
    found.set(point.block, new Map(prices));
    // a walk over all pools takes milliseconds: other requests get their turn between two
    await nextTurn();
  }
  return found;
}

type Moments = WindowedPool["moments"];

/** From the one that holds at the time `from` to the last that began by the end of `block`. */
function momentsIn(moments: Moments, { from, block }: { from: number; block: number }): Moments {
  const held = lastUpTo(moments, "since", from);
  return moments.slice(Math.max(held, 0), lastUpTo(moments, "block", block) + 1);
}

/** Place of the last moment that began at or before `end`; -1 when there is none. */
function lastUpTo(moments: Moments, measure: "since" | "block", end: number): number {
  let [low, high] = [-1, moments.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((moments[middle]?.[measure] ?? 0) <= end) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Prices of pools during the half hour before each of some blocks. */
export interface PoolsOver {
  terms: { fixed: ReadonlyMap<string, bigint>; decimals: ReadonlyMap<string, number>; minimumDepth: bigint };
  /** All of the last block. */
  pairs: readonly V2Pair[];
  /** Means over the half hour before; `sound`: those that prices are made of. */
  meansAt(point: TimedPoint): { all: readonly PoolMean[]; sound: readonly PoolMean[] };
}

/** At `points`, which ascend, one at least; read at once. */
export async function readPools(context: OperationContext, points: readonly TimedPoint[]): Promise<PoolsOver> {
  const { chain, snapshot } = context;
  const last = points.at(-1) as TimedPoint;
  const window = { ...(await windowOver(snapshot, points)), earliest: points[0]?.block ?? last.block };
  const pairs = await allPairs(context, last);
  const { pools: v3, stops } = await v3Moments(context, last, window);
  const pools = [...v3, ...(await v2Moments(context, pairs, { point: last, window }))];
  const stables = chain.stables.map(({ address }) => address);
  const traded = pools.flatMap(({ token0, token1 }) => [token0, token1]) as Address[];
  const states = await readTokens(context, [...new Set([...stables, ...traded])]);
  const isSoundAt = soundness(states);
  return {
    pairs,
    terms: {
      fixed: new Map<string, bigint>(chain.stables.map(({ address, priceUsd }) => [address, parseUsd(priceUsd)])),
      decimals: decimalsOf(chain, states),
      minimumDepth: parseUsd(String(chain.minimumPricingDepthUsd)),
    },
    meansAt({ block, timestamp }) {
      const span = { from: timestamp - MEAN_SECONDS, to: timestamp };
      const running = pools.filter(({ address }) => isBefore(stops.get(address), block));
      const all = running.flatMap(
        (pool) => meanOf({ ...pool, moments: momentsIn(pool.moments, { from: span.from, block }) }, span) ?? [],
      );
      return { all, sound: all.filter((pool) => isSoundAt(pool, block)) };
    },
  };
}

const isBefore = (end: number | undefined, block: number): boolean => end === undefined || end > block;

/** Whether the ledgers of a pool's tokens had not gone out of range yet. */
function soundness(states: readonly TokenState[]): (pool: PoolMean, block: number) => boolean {
  const broken = new Map<string, number>(
    states.flatMap(({ address, quarantine }) => (quarantine ? [[address, quarantine.block] as const] : [])),
  );
  return ({ token0, token1 }, block) => isBefore(broken.get(token0), block) && isBefore(broken.get(token1), block);
}

interface TimedRange extends HistoryRange {
  /** Unix seconds at which its first half hour begins. */
  from: number;
}

/** The half hours before the points, those that touch put together. */
async function windowOver(snapshot: Snapshot, points: readonly TimedPoint[]): Promise<Omit<PriceWindow, "earliest">> {
  const ranges = await rangesOf(snapshot, points);
  const rows = await snapshot.prepared<{ number: number; timestamp: number }>(
    `select b.number, b.timestamp from ${RANGES}
       join ${snapshot.fold}.block b on b.number > w.first and b.number <= w.last`,
    rangeParameters(ranges).slice(0, 2),
  );
  const times = new Map(rows.map((row) => [row.number, row.timestamp]));
  // what began between two ranges holds when the later one begins
  const beganBefore = (at: number) => ranges.find(({ first }) => at <= first)?.from ?? ranges[0]?.from ?? 0;
  return { first: ranges[0]?.first ?? -1, ranges, timeOf: (at) => times.get(at) ?? beganBefore(at) };
}

async function rangesOf(snapshot: Snapshot, points: readonly TimedPoint[]): Promise<TimedRange[]> {
  const parts: { from: number; last: number; until: number }[] = [];
  for (const { block, timestamp } of points) {
    const part = parts.at(-1);
    const from = timestamp - MEAN_SECONDS;
    if (part && from <= part.until) Object.assign(part, { last: block, until: timestamp });
    else parts.push({ from, last: block, until: timestamp });
  }
  const firsts = await blocksAt(
    snapshot,
    parts.map(({ from }) => from),
  );
  return parts.map(({ from, last }, i) => ({ from, first: firsts[i] ?? -1, last }));
}
