// What tokens were worth in USD at a block, for all code that values something there. All prices of one block are worked out together, as a token's price is made of other tokens'. The number of statements does not
// depend on how many pools and shares there are, and those that do not need each other are sent together: every request for
// a price at a new block waits for all of them.
import { meanOf, type PoolMean } from "../../core/prices/mean-price.ts";
import { type LedgerAt, ledgerAt } from "../backing/ledger-at.ts";
import { brokenBy, brokenLedgers } from "../backing/stopped.ts";
import { question } from "../cache/question.ts";
import type { OperationContext } from "../context.ts";
import { asOf } from "../history/as-of.ts";
import type { BlockPoint } from "../history/point.ts";
import { readTokens } from "../history/read-tokens.ts";
import { brokenAmong, isMetadataPending, unknownAmong } from "../history/token-state.ts";
import { memoPerObject } from "../memo-per-object.ts";
import type { Address } from "../parameters.ts";
import { allPairs } from "../protocols/v2/pairs-at.ts";
import { runningCurves, soundCurves } from "./curves.ts";
import { islandShares } from "./island-shares.ts";
import { pairShares } from "./pair-shares.ts";
import type { TokenPrice } from "./price.ts";
import { decimalsOf, type Market, settlePrices, tokensOf } from "./settle-prices.ts";
import { type BackedShare, soundShares } from "./share.ts";
import { v2Moments } from "./v2-moments.ts";
import { v3Moments } from "./v3-moments.ts";
import { announcedBaults, everyVault, vaultShares } from "./vault-shares.ts";
import { windowAt } from "./window.ts";

export interface PriceBook {
  prices: ReadonlyMap<Address, TokenPrice>;
  /** By share, one level deep: the tokens behind it may be shares again. */
  behind: ReadonlyMap<Address, BackedShare["parts"]>;
  /** Of unpriced shares: which tokens lack a price. */
  unpriced: ReadonlyMap<Address, readonly Address[]>;
  /** False while something was left out that will be known in a moment. */
  isFinal: boolean;
}

const pricesOfBlock = question<PriceBook>("prices", { isLasting: ({ isFinal }) => isFinal });

/** By request and block, for books that are not stored. */
const priceBooksOf = memoPerObject(() => new Map<number, PriceBook>());

/** The book of the block: worked out once in a request, and stored for all once it cannot change any more. */
export async function priceBook(context: OperationContext, point: BlockPoint): Promise<PriceBook> {
  const { snapshot } = context;
  const books = priceBooksOf(snapshot);
  const stored = books.get(point.block);
  if (stored) return stored;
  const place = { at: point.hash, key: "", revision: snapshot.state.revision };
  const book = await snapshot.cache.of(pricesOfBlock, place, () => priceBookFrom(context, point));
  books.set(point.block, book);
  return book;
}

/** What a book is made from. */
interface BookSource {
  ledger: LedgerAt;
  /** For tokens and stakes whose ledger broke by this block the source is incomplete. */
  brokenUpTo: number;
}

/** The book of the block, not stored; also from another source than the index as it is. */
export async function priceBookFrom(
  context: OperationContext,
  point: BlockPoint,
  source: BookSource = { ledger: ledgerAt(context, point), brokenUpTo: point.finalized },
): Promise<PriceBook> {
  const market = await readMarket(context, point, source);
  const behind = new Map(market.shares.map(({ share, parts }) => [share, parts]));
  return { ...settlePrices(context.chain, market), behind, isFinal: market.isFinal };
}

async function readMarket(
  context: OperationContext,
  point: BlockPoint,
  { ledger, brokenUpTo }: BookSource,
): Promise<Market & { isFinal: boolean }> {
  const { chain, snapshot } = context;
  const [window, pairs, curves, announced, allBroken] = await Promise.all([
    windowAt(snapshot, point),
    allPairs(context, point),
    runningCurves(context, point),
    announcedBaults(context, point),
    brokenLedgers(asOf(snapshot, point)),
  ]);
  const broken = brokenBy(allBroken, Math.max(point.block, brokenUpTo));
  const [v3, v2] = await Promise.all([v3Moments(context, point, window), v2Moments(context, pairs, { point, window })]);
  const pools = [...v3.pools, ...v2].flatMap((pool) => meanOf(pool, window.span) ?? []);
  const means = new Map(pools.map(({ address, price }) => [address, price]));
  const kinds = await Promise.all([
    pairShares(ledger, pairs, means),
    islandShares(context, { point, ledger, means }),
    vaultShares(ledger, everyVault(chain, announced, point.block), broken),
  ]);
  const shares = kinds.flat();
  const issued = [...new Set(shares.map(({ share }) => share))];
  const [supplies, tokens] = await Promise.all([
    ledger.supplies(issued),
    readTokens(context, tokensOf(chain, { pools, curves, shares })),
  ]);
  const brokenThen = brokenAmong(tokens, { block: point.block, finalized: point.block });
  const sound = ({ token0, token1 }: PoolMean) =>
    !brokenThen.has(token0 as Address) && !brokenThen.has(token1 as Address);
  return {
    pools: pools.filter(sound),
    curves: soundCurves(curves, brokenThen),
    shares: soundShares(shares, unknownAmong(tokens, { chain, point: { block: point.block, finalized: brokenUpTo } })),
    supplies: new Map(issued.map((share, i) => [share, supplies[i] ?? 0n])),
    decimals: decimalsOf(chain, tokens),
    isFinal: !tokens.some(isMetadataPending),
  };
}

/**
 * Prices of `tokens`, or of all that have one, at the end of the block. A token without a price is missing in the map:
 * it is worth an unknown amount, not nothing. Worked out for all tokens at once and stored, so asking twice costs nothing.
 * @throws UnavailableError while a share's backing is not known yet
 */
export async function pricesAt(
  context: OperationContext,
  point: BlockPoint,
  tokens: readonly Address[] | "all",
): Promise<ReadonlyMap<Address, TokenPrice>> {
  const { prices } = await priceBook(context, point);
  return tokens === "all" ? prices : ofThose(tokens, prices);
}

/** What `of` has of `tokens`, in their order. */
export const ofThose = <Value>(tokens: readonly Address[], of: ReadonlyMap<Address, Value>): Map<Address, Value> =>
  new Map(
    tokens.flatMap((token) => {
      const value = of.get(token);
      return value === undefined ? [] : [[token, value] as const];
    }),
  );

/** False while some token of a market has not been read yet: once it is, prices of this block and of earlier ones may be others. */
export const arePricesFinal = async (context: OperationContext, point: BlockPoint): Promise<boolean> =>
  (await priceBook(context, point)).isFinal;

/**
 * For each unpriced share among `shares` the tokens whose price it lacks, ascending: those at the end of its
 * backing, not the shares in between. Shares with a price, and what is no share, are missing.
 */
export async function unpricedBehind(
  context: OperationContext,
  point: BlockPoint,
  shares: readonly Address[],
): Promise<ReadonlyMap<Address, readonly Address[]>> {
  return ofThose(shares, (await priceBook(context, point)).unpriced);
}

/** For each share among `tokens` the tokens behind it, one level deep; none where its backing is unknown. */
export async function behindShares(
  context: OperationContext,
  point: BlockPoint,
  tokens: readonly Address[],
): Promise<ReadonlyMap<Address, readonly Address[]>> {
  const { behind } = await priceBook(context, point);
  return new Map(
    tokens.flatMap((share) => {
      // a share whose backing is unknown has itself as its only part: see unknownShare
      const others = behind.get(share)?.flatMap(({ token, amount }) => (amount > 0n && token !== share ? [token] : []));
      return others ? [[share, others] as const] : [];
    }),
  );
}
