// All prices of one block, worked out together: a token's price is made of others'. The number of statements does not
// depend on how many pools and shares there are.
import type { ChainFile } from "../../chains/chain-file.ts";
import { meanOf, type PoolMean } from "../../core/prices/mean-price.ts";
import { priceCurves } from "../../core/prices/price-curves.ts";
import { type GraphPrice, walkPrices } from "../../core/prices/price-graph.ts";
import { priceShares } from "../../core/prices/price-shares.ts";
import { FINE_USD_DECIMALS, type FineUsd, parseUsd, USD_DECIMALS } from "../../core/prices/usd.ts";
import type { OperationContext } from "../context.ts";
import { keepAnswers } from "../ledger/kept-answers.ts";
import type { BlockPoint } from "../ledger/point.ts";
import type { Snapshot } from "../ledger/snapshot.ts";
import { suppliesAt } from "../ledger/supply-at.ts";
import { readTokens, type TokenState } from "../ledger/token-state.ts";
import { ledgerAt } from "../lookthrough/ledger-at.ts";
import type { Address } from "../parameters.ts";
import { allPairs } from "../v2/pairs-at.ts";
import { type RunningCurve, runningCurves } from "./curves.ts";
import { islandShares } from "./island-shares.ts";
import { pairShares } from "./pair-shares.ts";
import type { PriceStrategy, ShareBacking, TokenPrice } from "./price.ts";
import type { BackedShare } from "./share.ts";
import { v2Moments } from "./v2-moments.ts";
import { v3Moments } from "./v3-moments.ts";
import { vaultShares } from "./vault-shares.ts";
import { windowAt } from "./window.ts";

export interface PriceBook {
  prices: ReadonlyMap<Address, TokenPrice>;
  backings: ReadonlyMap<Address, ShareBacking>;
  /** Of unpriced shares: which tokens lack a price. */
  unpriced: ReadonlyMap<Address, readonly Address[]>;
  /** False while something was left out that will be known in a moment. */
  isFinal: boolean;
}

const kept = keepAnswers<PriceBook>({
  most: 60_000,
  weigh: ({ prices, backings }) => 10 + prices.size + 3 * backings.size,
  isFinal: ({ isFinal }) => isFinal,
});

/** By request and block, for books that are not kept. */
const open = new WeakMap<Snapshot, Map<number, PriceBook>>();

/** The book of the block: worked out once in a request, and kept for all once it cannot change any more. */
export async function priceBook(context: OperationContext, point: BlockPoint): Promise<PriceBook> {
  const { snapshot } = context;
  const ofSnapshot = open.get(snapshot) ?? new Map<number, PriceBook>();
  open.set(snapshot, ofSnapshot);
  const known = ofSnapshot.get(point.block);
  if (known) return known;
  const book = await kept.of({ snapshot, point, about: "prices" }, () => workOut(context, point));
  ofSnapshot.set(point.block, book);
  return book;
}

/** What the chain says at the block, before any of it has a price. */
interface Market {
  pools: readonly PoolMean[];
  curves: readonly RunningCurve[];
  shares: readonly BackedShare[];
  supplies: ReadonlyMap<string, bigint>;
  decimals: ReadonlyMap<string, number>;
  isFinal: boolean;
}

async function workOut(context: OperationContext, point: BlockPoint): Promise<PriceBook> {
  const market = await readMarket(context, point);
  const { decimals } = market;
  const { chain } = context;
  const walked = walkPrices({
    fixed: new Map(chain.stables.map(({ address, priceUsd }) => [address, parseUsd(priceUsd)])),
    pools: market.pools,
    decimals,
    minimumDepth: parseUsd(String(chain.minimumPricingDepthUsd)),
  });
  const byPools = (token: string): FineUsd | undefined => walked.get(pricedAs(chain, token))?.usd;
  const curves = priceCurves({ curves: market.curves, usdOf: byPools, decimals });
  const shares = priceShares({
    shares: new Map(
      market.shares.map(({ share, fairParts }) => [
        share,
        { share, supply: market.supplies.get(share) ?? 0n, parts: fairParts },
      ]),
    ),
    usdOf: (token) => curves.get(token) ?? byPools(token),
    decimals,
  });
  const backings = market.shares.map(({ share, parts }): [Address, ShareBacking] => [
    share,
    { share, supply: market.supplies.get(share) ?? 0n, parts },
  ]);
  return {
    prices: merge(chain, { walked, curves, shares }),
    backings: new Map(backings),
    unpriced: shares.missing as ReadonlyMap<Address, readonly Address[]>,
    isFinal: market.isFinal,
  };
}

/** The token whose price `token` has by the chain file, most often itself. */
const pricedAs = ({ pricedAs: others }: ChainFile, token: string): string => others[token as Address] ?? token;

interface Found {
  walked: ReadonlyMap<string, GraphPrice>;
  curves: ReadonlyMap<string, FineUsd>;
  shares: ReturnType<typeof priceShares>;
}

/** A share is worth what is behind it, or has no price; whatever a pool may say of it. */
function merge(chain: ChainFile, { walked, curves, shares }: Found): Map<Address, TokenPrice> {
  const prices = new Map<Address, TokenPrice>();
  const fixed = new Set<string>(chain.stables.map(({ address }) => address));
  const put = (token: string, strategy: PriceStrategy, { usd, path }: { usd: FineUsd; path: readonly string[] }) => {
    const shown = usd / 10n ** BigInt(FINE_USD_DECIMALS - USD_DECIMALS);
    if (shown > 0n) prices.set(token as Address, { strategy, usd: shown, path: path as readonly Address[] });
    else prices.delete(token as Address);
  };
  for (const [token, price] of walked) put(token, fixed.has(token) ? "fixed" : "pool", price);
  for (const [token, usd] of curves) put(token, "curve", { usd, path: [] });
  for (const token of shares.missing.keys()) if (!fixed.has(token)) prices.delete(token as Address);
  for (const [token, usd] of shares.usd) if (!fixed.has(token)) put(token, "vault", { usd, path: [] });
  for (const [token, as] of Object.entries(chain.pricedAs)) {
    const price = prices.get(as);
    if (price) prices.set(token as Address, price);
    else prices.delete(token as Address);
  }
  return prices;
}

async function readMarket(context: OperationContext, point: BlockPoint): Promise<Market> {
  const { chain, snapshot } = context;
  const window = await windowAt(snapshot, point);
  const pairs = await allPairs(context, point);
  const v3 = await v3Moments(context, point, window);
  const v2 = await v2Moments(context, pairs, { point, window });
  const pools = [...v3.pools, ...v2].flatMap((pool) => meanOf(pool, window.span) ?? []);
  const means = new Map(pools.map(({ address, price }) => [address, price]));
  const curves = await runningCurves(context, point);
  const ledger = await ledgerAt(context, point);
  const islands = await islandShares(context, { point, ledger, means });
  const shares = [
    ...(await pairShares(ledger, pairs, means)),
    ...islands.shares,
    ...(await vaultShares(context, { point, ledger })),
  ];
  const issued = [...new Set(shares.map(({ share }) => share))];
  const supplies = await snapshot.withFacts((facts) => suppliesAt(facts, point, issued));
  const tokens = await readTokens(snapshot, chain.chainId, tokensOf(chain, { pools, curves, shares }));
  const outOfRange = new Set(
    tokens.flatMap(({ address, quarantine }) => (quarantine && quarantine.block <= point.block ? [address] : [])),
  );
  const unissued = new Set<Address>(issued.filter((_, i) => supplies[i] === 0n));
  const sound = ({ token0, token1 }: PoolMean) =>
    !outOfRange.has(token0 as Address) && !outOfRange.has(token1 as Address);
  return {
    pools: pools.filter(sound),
    curves,
    shares,
    supplies: new Map(issued.map((share, i) => [share, supplies[i] ?? 0n])),
    decimals: decimalsOf(chain, tokens),
    isFinal: !v3.isPending && !islands.isPending && !tokens.some((token) => isToBeRead(token, { point, unissued })),
  };
}

/** What the contracts say; of tokens that are not indexed what the chain file says. */
function decimalsOf(chain: ChainFile, tokens: readonly TokenState[]): Map<string, number> {
  const listed = new Map(chain.knownTokens.map(({ address, decimals }) => [address, decimals]));
  return new Map(
    tokens.flatMap(({ address, metadata }) => {
      const decimals = metadata ? metadata.decimals : listed.get(address);
      return decimals === undefined ? [] : [[address, decimals] as const];
    }),
  );
}

/** Its decimals are not here yet, but will be; those of a share that nobody was ever given will not. */
function isToBeRead(
  { address, metadata, assetId }: TokenState,
  { point, unissued }: { point: BlockPoint; unissued: ReadonlySet<Address> },
): boolean {
  if (metadata !== undefined) return false;
  return assetId !== undefined || (point.block > point.watermark && !unissued.has(address));
}

/** Every token whose decimals matter. */
function tokensOf(chain: ChainFile, { pools, curves, shares }: Pick<Market, "pools" | "curves" | "shares">): Address[] {
  const tokens = [
    ...chain.stables.map(({ address }) => address),
    ...pools.flatMap(({ token0, token1 }) => [token0, token1]),
    ...curves.flatMap(({ token, base }) => [token, base]),
    ...shares.flatMap(({ share, parts }) => [share, ...parts.map(({ token }) => token)]),
  ];
  return [...new Set(tokens)] as Address[];
}
