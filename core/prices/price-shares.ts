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

interface ShareMarket {
  shares: ReadonlyMap<string, PricedShare>;
  /** USD per whole token of everything that is no share. */
  usdOf(token: string): FineUsd | undefined;
  decimals: ReadonlyMap<string, number>;
}

interface SharePrices {
  /** USD per whole share. */
  usd: ReadonlyMap<string, FineUsd>;
  /** For each share without a price: the tokens at the end of its backing whose price is missing, ascending, the first 32. */
  missing: ReadonlyMap<string, readonly string[]>;
}

/** Missing tokens of one share: anyone can put any number of worthless tokens behind one. */
const MOST_MISSING = 32;

type ShareResult = { usd: FineUsd } | { missing: ReadonlySet<string> };

/**
 * A share has a price when everything that stands behind it has one, and its supply is above zero. Where a backing leads back to
 * itself, the shares just behind that do so count as missing tokens. No share's price depends on shares that are not behind it.
 */
export function priceShares(market: ShareMarket): SharePrices {
  const { shares } = market;
  const results = new Map<string, ShareResult>();

  const priceOf = (token: string): ShareResult => {
    const usd = shares.has(token) ? undefined : market.usdOf(token);
    return usd === undefined ? (results.get(token) ?? { missing: new Set([token]) }) : { usd };
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
    if (missing.size > 0 || decimals === undefined || supply === 0n)
      return { missing: new Set([...missing].sort().slice(0, MOST_MISSING)) };
    const worth = worths.reduce((sum, one) => sum + ("usd" in one ? one.usd : 0n), 0n);
    return { usd: (worth * 10n ** BigInt(decimals)) / supply };
  };

  const { ordered, circular } = fromTheGround(shares);
  for (const share of ordered) results.set(share.share, divide(share));
  const unsettled = circular.map((share) => [share.share, divide(share)] as const);
  for (const [share, result] of unsettled) results.set(share, result);
  const usd = new Map<string, FineUsd>();
  const missing = new Map<string, readonly string[]>();
  for (const [token, one] of results) {
    if ("missing" in one) missing.set(token, [...one.missing]);
    else usd.set(token, one.usd);
  }
  return { usd, missing };
}

/** Every share after those behind it; apart from them those whose backing leads back to itself. Kahn 1962 */
function fromTheGround(shares: ShareMarket["shares"]): { ordered: PricedShare[]; circular: PricedShare[] } {
  const above = new Map<string, PricedShare[]>();
  const waitsFor = new Map<string, number>();
  for (const share of shares.values()) {
    const real = share.parts.filter(({ token, amount }) => amount > 0n && shares.has(token));
    const behind = new Set(real.map(({ token }) => token));
    waitsFor.set(share.share, behind.size);
    for (const token of behind) {
      const others = above.get(token);
      if (others) others.push(share);
      else above.set(token, [share]);
    }
  }
  const ordered = [...shares.values()].filter(({ share }) => waitsFor.get(share) === 0);
  // what is added meanwhile is walked too
  for (const { share } of ordered)
    for (const next of above.get(share) ?? []) {
      const left = (waitsFor.get(next.share) ?? 0) - 1;
      waitsFor.set(next.share, left);
      if (left === 0) ordered.push(next);
    }
  return { ordered, circular: [...shares.values()].filter(({ share }) => (waitsFor.get(share) ?? 0) > 0) };
}
