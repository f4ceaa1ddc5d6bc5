// Prices through pools at many blocks that lie close together: the pools' history is read once for all of them, where
// price-book.ts reads it for one block. What that knows of shares and curves is left out.
import type { ChainFile } from "../../chains/chain-file.ts";
import { meanOf, type PoolMoment, type PricingPool, type Span } from "../../core/prices/mean-price.ts";
import { walkPrices } from "../../core/prices/price-graph.ts";
import { FINE_USD_DECIMALS, parseUsd, USD_DECIMALS } from "../../core/prices/usd.ts";
import type { OperationContext } from "../context.ts";
import type { BlockPoint } from "../ledger/point.ts";
import type { Snapshot } from "../ledger/snapshot.ts";
import { blockAt } from "../ledger/state.ts";
import { readTokens, type TokenState } from "../ledger/token-state.ts";
import type { Address } from "../parameters.ts";
import { allPairs } from "../v2/pairs-at.ts";
import { v2Moments } from "./v2-moments.ts";
import { v3Moments } from "./v3-moments.ts";
import { MEAN_SECONDS, type PriceWindow } from "./window.ts";

/** A block whose time is known. */
export type TimedPoint = BlockPoint & { timestamp: number };

/**
 * USD × USD_SCALE of each of `tokens` that pools price at the end of each of `points`, which ascend; by block. For a token
 * that is neither a share nor on a curve it is what `pricesAt` says. Not to be called inside `withFacts`.
 */
export async function poolPricesOver(
  context: OperationContext,
  points: readonly TimedPoint[],
  tokens: readonly Address[],
): Promise<ReadonlyMap<number, ReadonlyMap<Address, bigint>>> {
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last) return new Map();
  const market = await readPools(context, { first, last });
  return new Map(
    points.map(({ block, timestamp }) => {
      const span = { from: timestamp - MEAN_SECONDS, to: timestamp };
      const walked = walkPrices({
        ...market.terms,
        pools: market
          .soundAt(block)
          .flatMap((pool) => meanOf({ ...pool, moments: momentsIn(pool.moments, span) }, span) ?? []),
      });
      const prices = tokens.flatMap((token): [Address, bigint][] => {
        const usd =
          (walked.get(pricedAs(context.chain, token))?.usd ?? 0n) / 10n ** BigInt(FINE_USD_DECIMALS - USD_DECIMALS);
        return usd > 0n ? [[token, usd]] : [];
      });
      return [block, new Map(prices)];
    }),
  );
}

const pricedAs = ({ pricedAs: others }: ChainFile, token: Address): Address => others[token] ?? token;

/** From the one that holds at the span's beginning to the last that began in it. */
function momentsIn(moments: readonly PoolMoment[], { from, to }: Span): readonly PoolMoment[] {
  const held = lastUpTo(moments, from);
  return moments.slice(Math.max(held, 0), lastUpTo(moments, to) + 1);
}

/** Place of the last moment that began at or before `time`; -1 when there is none. */
function lastUpTo(moments: readonly PoolMoment[], time: number): number {
  let [low, high] = [-1, moments.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((moments[middle]?.since ?? 0) <= time) low = middle;
    else high = middle - 1;
  }
  return low;
}

async function readPools(context: OperationContext, { first, last }: { first: TimedPoint; last: TimedPoint }) {
  const { chain, snapshot } = context;
  const window = await windowOver(snapshot, { from: first.timestamp - MEAN_SECONDS, last });
  const pairs = await allPairs(context, last);
  const { pools: v3 } = await v3Moments(context, last, window);
  const pools = [...v3, ...(await v2Moments(context, pairs, { point: last, window }))];
  const stables = chain.stables.map(({ address }) => address);
  const traded = pools.flatMap(({ token0, token1 }) => [token0, token1]) as Address[];
  const states = await readTokens(snapshot, chain.chainId, [...new Set([...stables, ...traded])]);
  return {
    terms: {
      fixed: new Map<string, bigint>(chain.stables.map(({ address, priceUsd }) => [address, parseUsd(priceUsd)])),
      decimals: decimalsOf(chain, states),
      minimumDepth: parseUsd(String(chain.minimumPricingDepthUsd)),
    },
    soundAt: soundPools(pools, states),
  };
}

/** Pools of tokens whose ledger had not gone out of range yet. */
function soundPools(pools: readonly PricingPool[], states: readonly TokenState[]): (block: number) => PricingPool[] {
  const broken = new Map<string, number>(
    states.flatMap(({ address, quarantine }) => (quarantine ? [[address, quarantine.block] as const] : [])),
  );
  return (block) => {
    const isSound = (token: string) => (broken.get(token) ?? Number.POSITIVE_INFINITY) > block;
    return pools.filter(({ token0, token1 }) => isSound(token0) && isSound(token1));
  };
}

function decimalsOf(chain: ChainFile, states: readonly TokenState[]): Map<string, number> {
  const listed = new Map<string, number>(chain.knownTokens.map(({ address, decimals }) => [address, decimals]));
  return new Map(
    states.flatMap(({ address, metadata }) => {
      const decimals = metadata ? metadata.decimals : listed.get(address);
      return decimals === undefined ? [] : [[address, decimals] as const];
    }),
  );
}

async function windowOver(
  snapshot: Snapshot,
  { from, last }: { from: number; last: TimedPoint },
): Promise<PriceWindow> {
  return snapshot.withFacts(async (facts) => {
    const first = (await blockAt(facts, from)) ?? -1;
    const rows = await facts.rows<{ number: number; timestamp: number }>(
      `select number, timestamp from ${facts.schemas.ponder}.block where number > ${first} and number <= ${last.block}`,
    );
    const times = new Map(rows.map((row) => [row.number, row.timestamp]));
    return {
      span: { from, to: last.timestamp },
      first,
      timeOf: (at) => (at <= first ? from : (times.get(at) ?? from)),
    };
  });
}
