// Numbers that every skin shows of a launch, before any rounds them.

import { wholePriceRoundedDown } from "../catalogue/launch-price.ts";
import { usdValue } from "../prices/price.ts";
import type { LaunchAt } from "./launches.ts";

/** Whole base tokens per whole token × 10^digits, rounded down; undefined where there is no price or no unit. */
export function shownPriceRoundedDown({ price, token, base }: LaunchAt, digits: number): bigint | undefined {
  const decimals = { token: token.metadata?.decimals, base: base.metadata?.decimals };
  if (price === undefined || decimals.token === undefined || decimals.base === undefined) return undefined;
  return wholePriceRoundedDown(price, { token: decimals.token, base: decimals.base }, digits);
}

/** USD × 10^36 of all that exists of the token, rounded down. */
export function marketCap({ priceUsd, totalSupply, token }: LaunchAt): bigint | undefined {
  const decimals = token.metadata?.decimals;
  if (priceUsd === undefined || totalSupply === undefined || decimals === undefined) return undefined;
  return usdValue(priceUsd, totalSupply, decimals);
}

const PROGRESS_DIGITS = 36;

/** 0 to 1, rounded down to 36 digits before it becomes a double. */
export const progressNumber = ({ progress: { numerator, denominator } }: LaunchAt): number =>
  Number(`${(numerator * 10n ** BigInt(PROGRESS_DIGITS)) / denominator}e-${PROGRESS_DIGITS}`);
