// The worth of everything, from the chain's state at a block: pure arithmetic, for one block's book and for many blocks alike.
import type { ChainFile } from "../../chains/chain-file.ts";
import type { PoolMean } from "../../core/prices/mean-price.ts";
import { priceCurves } from "../../core/prices/price-curves.ts";
import { type GraphPrice, walkPrices } from "../../core/prices/price-graph.ts";
import { priceShares } from "../../core/prices/price-shares.ts";
import { FINE_USD_DECIMALS, type FineUsd, parseUsd, USD_DECIMALS } from "../../core/prices/usd.ts";
import type { TokenState } from "../history/token-state.ts";
import type { Address } from "../parameters.ts";
import type { RunningCurve } from "./curves.ts";
import type { PriceStrategy, TokenPrice } from "./price.ts";
import type { BackedShare } from "./share.ts";

/** What the chain says at the block, before any of it has a price. */
export interface Market {
  pools: readonly PoolMean[];
  curves: readonly RunningCurve[];
  shares: readonly BackedShare[];
  supplies: ReadonlyMap<string, bigint>;
  decimals: ReadonlyMap<string, number>;
}

interface Settled {
  prices: ReadonlyMap<Address, TokenPrice>;
  /** Of unpriced shares: which tokens lack a price. */
  unpriced: ReadonlyMap<Address, readonly Address[]>;
}

export function settlePrices(chain: ChainFile, market: Market): Settled {
  const { decimals } = market;
  const fixed = new Map<string, FineUsd>(chain.stables.map(({ address, priceUsd }) => [address, parseUsd(priceUsd)]));
  const walked = walkPrices({
    fixed,
    pools: market.pools,
    decimals,
    minimumDepth: parseUsd(String(chain.minimumPricingDepthUsd)),
  });
  const byPools = (token: string): FineUsd | undefined => walked.get(pricedAs(chain, token))?.usd;
  const curves = priceCurves({ curves: market.curves, usdOf: byPools, decimals });
  const shares = priceShares({
    shares: new Map(
      market.shares.flatMap(({ share, fairParts: parts }) =>
        fixed.has(share) ? [] : [[share, { share, supply: market.supplies.get(share) ?? 0n, parts }] as const],
      ),
    ),
    usdOf: (token) => curves.get(token) ?? byPools(token),
    decimals,
  });
  return {
    prices: merge(chain, { fixed, walked, curves, shares }),
    unpriced: shares.missing as ReadonlyMap<Address, readonly Address[]>,
  };
}

/** The token whose price `token` has by the chain file, most often itself. */
export const pricedAs = ({ pricedAs: others }: ChainFile, token: string): string => others[token as Address] ?? token;

interface Found {
  fixed: ReadonlyMap<string, FineUsd>;
  walked: ReadonlyMap<string, GraphPrice>;
  curves: ReadonlyMap<string, FineUsd>;
  shares: ReturnType<typeof priceShares>;
}

/** A share without a fixed price is worth what is behind it, or has no price; its price in pools does not count. */
function merge(chain: ChainFile, { fixed, walked, curves, shares }: Found): Map<Address, TokenPrice> {
  const prices = new Map<Address, TokenPrice>();
  const put = (token: string, strategy: PriceStrategy, { usd, path }: { usd: FineUsd; path: readonly string[] }) => {
    const shown = usd / 10n ** BigInt(FINE_USD_DECIMALS - USD_DECIMALS);
    if (shown > 0n) prices.set(token as Address, { strategy, usd: shown, path: path as readonly Address[] });
    else prices.delete(token as Address);
  };
  for (const [token, price] of walked) put(token, fixed.has(token) ? "fixed" : "pool", price);
  for (const [token, usd] of curves) put(token, "curve", { usd, path: [] });
  for (const token of shares.missing.keys()) prices.delete(token as Address);
  for (const [token, usd] of shares.usd) put(token, "vault", { usd, path: [] });
  for (const [token, as] of Object.entries(chain.pricedAs)) {
    const price = prices.get(as);
    if (price) prices.set(token as Address, price);
    else prices.delete(token as Address);
  }
  return prices;
}

/** What the contracts say; of tokens that are not indexed what the chain file says. */
export function decimalsOf(chain: ChainFile, tokens: readonly TokenState[]): Map<string, number> {
  const listed = new Map(chain.knownTokens.map(({ address, decimals }) => [address, decimals]));
  return new Map(
    tokens.flatMap(({ address, metadata }) => {
      const decimals = metadata ? metadata.decimals : listed.get(address);
      return decimals === undefined ? [] : [[address, decimals] as const];
    }),
  );
}

/** Every token whose decimals matter. */
export function tokensOf(
  chain: ChainFile,
  { pools, curves, shares }: Pick<Market, "pools" | "curves" | "shares">,
): Address[] {
  const tokens = [
    ...chain.stables.map(({ address }) => address),
    ...pools.flatMap(({ token0, token1 }) => [token0, token1]),
    ...curves.flatMap(({ token, base }) => [token, base]),
    ...shares.flatMap(({ share, parts }) => [share, ...parts.map(({ token }) => token)]),
  ];
  return [...new Set(tokens)] as Address[];
}
