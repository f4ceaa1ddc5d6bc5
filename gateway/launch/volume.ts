// What was traded on launch curves in USD, each trade at the price that its base token had when it happened. A price at a
// block takes a walk over all pools, so those of final blocks are remembered and one request takes only so many walks.
import type { LaunchCurve } from "../../core/launch/replay.ts";
import type { OperationContext } from "../context.ts";
import type { BlockPoint } from "../ledger/point.ts";
import type { Address } from "../parameters.ts";
import { pricesAt, type TokenPrice, usdValue } from "../prices/price.ts";

/** Work for one request; the next one carries on. */
const LONGEST_WORK_MS = 4_000;

export interface LaunchVolume {
  /** Raw base units. */
  base: bigint;
  /**
   * USD × USD_SCALE of all trades that could be priced, each rounded down; undefined until all have been looked at, and
   * where there are trades but not one of them could be priced.
   */
  usd: bigint | undefined;
  /** Raw base units of trades at whose time the base token had no price. */
  unpriced: bigint;
}

/** The price of `base` at the end of `block`; null: it had none; undefined: not looked at yet. */
export type PriceThen = (base: string, block: number) => TokenPrice | null | undefined;

/** `decimals` of the base token; without them nothing can be valued. */
export function volumeOf(curve: LaunchCurve, decimals: number | undefined, priceThen: PriceThen): LaunchVolume {
  const volume = { base: 0n, usd: 0n, unpriced: 0n };
  let isWhole = true;
  for (const { block, base } of curve.trades) {
    volume.base += base;
    const price = decimals === undefined ? null : priceThen(curve.baseToken, block);
    if (price === undefined) isWhole = false;
    else if (price === null || decimals === undefined) volume.unpriced += base;
    else volume.usd += usdValue(price, base, decimals);
  }
  const isKnown = isWhole && (volume.unpriced === 0n || volume.unpriced < volume.base);
  return isKnown ? volume : { ...volume, usd: undefined };
}

/** Prices at final blocks, of the index they were made from: by base token and block. */
const known = new Map<number, { index: string; prices: Map<string, Map<number, TokenPrice | null>> }>();

function knownPrices({ chain, snapshot }: OperationContext): Map<string, Map<number, TokenPrice | null>> {
  const ofChain = known.get(chain.chainId);
  if (ofChain?.index === snapshot.index) return ofChain.prices;
  const prices = new Map<string, Map<number, TokenPrice | null>>();
  known.set(chain.chainId, { index: snapshot.index, prices });
  return prices;
}

/** Prices of the base tokens of `curves` at all blocks with trades, as many as there is time for. */
export async function pricesOfTrades(
  context: OperationContext,
  point: BlockPoint,
  curves: readonly LaunchCurve[],
): Promise<PriceThen> {
  const bases = [...new Set(curves.map(({ baseToken }) => baseToken as Address))];
  const now = await pricesAt(context, point, bases);
  const final = knownPrices(context);
  const young = new Map<string, TokenPrice | null>();
  const priceThen: PriceThen = (base, block) => {
    const price = now.get(base as Address);
    if (price?.strategy === "fixed") return price;
    const then = final.get(base)?.get(block);
    return then === undefined ? young.get(`${base} ${block}`) : then;
  };
  const started = Date.now();
  for (const { at, tokens } of await unpricedYet(context, point, { curves, priceThen })) {
    const prices = await pricesAt(context, at, tokens);
    for (const token of tokens) {
      const price = prices.get(token) ?? null;
      if (at.block > point.watermark) young.set(`${token} ${at.block}`, price);
      else final.set(token, (final.get(token) ?? new Map()).set(at.block, price));
    }
    if (Date.now() - started > LONGEST_WORK_MS) break;
  }
  return priceThen;
}

/** Blocks with trades at which a base token is still to be priced, newest first. */
async function unpricedYet(
  context: OperationContext,
  point: BlockPoint,
  { curves, priceThen }: { curves: readonly LaunchCurve[]; priceThen: PriceThen },
): Promise<{ at: BlockPoint; tokens: Address[] }[]> {
  const wanted = new Map<number, Set<Address>>();
  for (const { baseToken, trades } of curves)
    for (const { block } of trades)
      if (priceThen(baseToken, block) === undefined)
        wanted.set(block, (wanted.get(block) ?? new Set()).add(baseToken as Address));
  const points = await pointsOf(context, point, [...wanted.keys()]);
  return points.map((at) => ({ at, tokens: [...(wanted.get(at.block) ?? [])] }));
}

/** The blocks as points of this snapshot, newest first; those whose rows are cut back for a moment have no hash. */
async function pointsOf(
  { snapshot }: OperationContext,
  { lastSynced, watermark }: BlockPoint,
  blocks: readonly number[],
): Promise<BlockPoint[]> {
  if (blocks.length === 0) return [];
  const rows = await snapshot.withFacts((facts) =>
    facts.rows<{ number: number; hash: string; timestamp: number }>(
      `select number, hash, timestamp from ${facts.schemas.ponder}.block
        where number in (select unnest(string_to_array($1, ','))::int4)`,
      [blocks.join(",")],
    ),
  );
  const found = new Map(rows.map((row) => [row.number, row]));
  return [...blocks]
    .sort((a, b) => b - a)
    .map((block) => {
      const row = found.get(block);
      return { block, hash: row?.hash, timestamp: row?.timestamp, lastSynced, watermark };
    });
}
