// Prices of tokens that are sold along a curve.
import type { Fraction } from "../lookthrough/fraction.ts";
import { type FineUsd, worthOf } from "./usd.ts";

interface Curve {
  pool: string;
  token: string;
  base: string;
  /** Raw base units per raw token unit. */
  price: Fraction;
  /** Raw base units. */
  raised: bigint;
}

interface CurveMarket {
  curves: readonly Curve[];
  /** USD per whole token by pools, or fixed. */
  usdOf(token: string): FineUsd | undefined;
  decimals: ReadonlyMap<string, number>;
}

/**
 * USD per whole token by the curve. A token that is its own curve has no other price as long as the curve runs. Anybody can sell any
 * other token along a curve: for these the pools decide, and without pools the curve that has raised the most USD, then the one with
 * the smaller address.
 */
export function priceCurves({ curves, usdOf, decimals }: CurveMarket): Map<string, FineUsd> {
  const best = new Map<string, { usd: FineUsd; raised: FineUsd; pool: string }>();
  for (const { pool, token, base, price, raised } of curves) {
    const baseUsd = usdOf(base);
    const [tokenDecimals, baseDecimals] = [decimals.get(token), decimals.get(base)];
    if (baseUsd === undefined || tokenDecimals === undefined || baseDecimals === undefined) continue;
    if (token !== pool && usdOf(token) !== undefined) continue;
    const usd =
      (baseUsd * price.numerator * 10n ** BigInt(tokenDecimals)) / (price.denominator * 10n ** BigInt(baseDecimals));
    if (usd === 0n) continue;
    const offered = { usd, raised: worthOf(baseUsd, raised, baseDecimals), pool };
    const held = best.get(token);
    if (!held || isBetter(token, offered, held)) best.set(token, offered);
  }
  return new Map([...best].map(([token, { usd }]) => [token, usd]));
}

interface Offered {
  raised: FineUsd;
  pool: string;
}

function isBetter(token: string, offered: Offered, held: Offered): boolean {
  if (offered.pool === token || held.pool === token) return offered.pool === token;
  return offered.raised !== held.raised ? offered.raised > held.raised : offered.pool < held.pool;
}
