// Percentages and weights as people write them, as exact fractions.
import type { Fraction } from "../lookthrough/fraction.ts";

/** `text` in digits with an optional decimal point: `1.25` is 125 / 100. */
export function decimalFraction(text: string): Fraction {
  const [whole = "", part = ""] = text.split(".");
  return { numerator: BigInt(`${whole}${part}` || "0"), denominator: 10n ** BigInt(part.length) };
}

/** The share that `text` percent are: `0.5` is 5 / 1,000. */
export function percentFraction(text: string): Fraction {
  const { numerator, denominator } = decimalFraction(text);
  return { numerator, denominator: denominator * 100n };
}

/** The share in basis points, rounded up, for services that know no finer steps. */
export const toBpsRoundingUp = ({ numerator, denominator }: Fraction): number =>
  Number((numerator * 10_000n + denominator - 1n) / denominator);

/** Exact decimal of the fraction when its denominator is a power of ten, as those of this file are. */
export function toDecimalText({ numerator, denominator }: Fraction): string {
  const places = String(denominator).length - 1;
  const digits = String(numerator).padStart(places + 1, "0");
  const part = digits.slice(digits.length - places).replace(/0+$/, "");
  const whole = digits.slice(0, digits.length - places);
  return places === 0 || part === "" ? whole : `${whole}.${part}`;
}
