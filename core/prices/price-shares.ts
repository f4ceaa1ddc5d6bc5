// Prices of shares: what stands behind all of them, divided by how many there are. Shares can be behind shares.
import { type FineUsd, worthOf } from "./usd.ts";

/** All shares of one kind together. */
export interface PricedShare {
  share: string;
  /** Raw units of the share. */
  supply: bigint;
  /** What stands behind the supply, raw units. */
  parts: readonly { token: string; amount: bigint }[];
}

export interface ShareMarket {
  shares: ReadonlyMap<string, PricedShare>;
  /** USD per whole token of everything that is no share. */
  usdOf(token: string): FineUsd | undefined;
  decimals: ReadonlyMap<string, number>;
}

export interface SharePrices {
  /** USD per whole share. */
  usd: ReadonlyMap<string, FineUsd>;
  /** Of each share without a price: the tokens at the end of its backing whose price is missing, ascending. */
  missing: ReadonlyMap<string, readonly string[]>;
}

/** Shares behind shares, at most; anyone can stack more of them. */
const DEEPEST = 32;

type ShareResult = { usd: FineUsd } | { missing: ReadonlySet<string> };

/**
 * A share has a price when all that stands behind it has one, and some of it exists; where a backing leads back to
 * itself, or goes too deep, the share at that place counts as the token that is missing.
 */
export function priceShares(market: ShareMarket): SharePrices {
  const results = new Map<string, ShareResult>();
  const onTheWay = new Set<string>();

  const priceOf = (token: string): ShareResult => {
    const share = market.shares.get(token);
    if (!share) {
      const usd = market.usdOf(token);
      return usd === undefined ? { missing: new Set([token]) } : { usd };
    }
    const stored = results.get(token);
    if (stored) return stored;
    if (onTheWay.has(token) || onTheWay.size >= DEEPEST) return { missing: new Set([token]) };
    onTheWay.add(token);
    const priced = divide(share);
    onTheWay.delete(token);
    results.set(token, priced);
    return priced;
  };

  /** What one part is worth, or the tokens that it lacks a price of. */
  const worthOfPart = ({ token, amount }: PricedShare["parts"][number]): ShareResult => {
    const part = priceOf(token);
    if ("missing" in part) return part;
    const decimals = market.decimals.get(token);
    return decimals === undefined ? { missing: new Set([token]) } : { usd: worthOf(part.usd, amount, decimals) };
  };

  const divide = ({ share, supply, parts }: PricedShare): ShareResult => {
    const worths = parts.filter(({ amount }) => amount > 0n).map(worthOfPart);
    const missing = new Set(worths.flatMap((one) => ("missing" in one ? [...one.missing] : [])));
    const decimals = market.decimals.get(share);
    if (decimals === undefined) missing.add(share);
    if (missing.size > 0 || decimals === undefined || supply === 0n) return { missing };
    const worth = worths.reduce((sum, one) => sum + ("usd" in one ? one.usd : 0n), 0n);
    return { usd: (worth * 10n ** BigInt(decimals)) / supply };
  };

  for (const token of market.shares.keys()) priceOf(token);
  const usd = new Map<string, FineUsd>();
  const missing = new Map<string, readonly string[]>();
  for (const [token, one] of results) {
    if ("missing" in one) missing.set(token, [...one.missing].sort());
    else usd.set(token, one.usd);
  }
  return { usd, missing };
}
