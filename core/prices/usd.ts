// USD as integers while prices are made of one another.

/** Decimals of amounts that are shown or added up: USD are counted in units of 10^-36. */
export const USD_DECIMALS = 36;

/** Decimals of the amounts below; far more than are shown, so that rounding along a path never shows. */
export const FINE_USD_DECIMALS = 72;

/** Whole token × 10^{@link FINE_USD_DECIMALS}. */
export type FineUsd = bigint;

/** A decimal number such as `1` or `0.9995`. Digits beyond the scale are cut off. */
export function parseUsd(text: string): FineUsd {
  const [whole = "0", fraction = ""] = text.split(".");
  return BigInt(whole + fraction.slice(0, FINE_USD_DECIMALS).padEnd(FINE_USD_DECIMALS, "0"));
}

/** What `amount` raw units are worth, rounded down. */
export const worthOf = (usd: FineUsd, amount: bigint, decimals: number): FineUsd =>
  (usd * amount) / 10n ** BigInt(decimals);
