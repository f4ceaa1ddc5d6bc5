// How many times something counts: an exact decimal, as an integer over a power of ten.

export interface Multiplier {
  digits: bigint;
  /** Places behind the point: it is digits ÷ 10^decimals. */
  decimals: number;
}

export const ONCE: Multiplier = { digits: 1n, decimals: 0 };

/** From zero up, without sign or exponent. */
export const MULTIPLIER_DIGITS: RegExp = /^\d{1,9}(?:\.\d{1,18})?$/;

/** Of a text as {@link MULTIPLIER_DIGITS} accepts it: `2`, `0.25`, `1.50`. */
export function multiplierOf(text: string): Multiplier {
  const [whole = "", places = ""] = text.split(".");
  return { digits: BigInt(whole + places), decimals: places.length };
}

/** The multiplier as digits ÷ 10^decimals, for `decimals` not below its own. */
export const digitsOver = ({ digits, decimals: own }: Multiplier, decimals: number): bigint =>
  digits * 10n ** BigInt(decimals - own);
