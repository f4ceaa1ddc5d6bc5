// Raw integers to human numbers. The same digits come out of balances/balances-json.ts, where PostgreSQL writes them.

/**
 * Nearest double of amount × 10^-decimals (ties to even). The literal is parsed from all its digits by V8, so there is
 * one rounding; printing the result with `String` or `JSON.stringify` gives the wire format.
 */
export function toNearestDouble(amount: bigint, decimals: number): number {
  return Number(`${amount}e-${decimals}`);
}

/**
 * The texts that JSON has for the nearest doubles of `numbers`, JSON numbers separated by commas, such as `15e-1,2e-18`. A thousand
 * at once take half as long as each by itself.
 */
export const nearestDoubles = (numbers: string): string[] =>
  JSON.stringify(JSON.parse(`[${numbers}]`))
    .slice(1, -1)
    .split(",");

/** The same of amounts × 10^-decimals. */
export const nearestDoublesOf = (amounts: readonly bigint[], decimals: number): string[] =>
  nearestDoubles(amounts.map((amount) => `${amount}e-${decimals}`).join(","));

/** Exact decimal of amount × 10^-decimals, without trailing zeros: `1.5`, `0.000001`, `20`. */
export function toExactDecimal(amount: bigint, decimals: number): string {
  const sign = amount < 0n ? "-" : "";
  const digits = String(amount < 0n ? -amount : amount).padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, "");
  return fraction === "" ? `${sign}${whole}` : `${sign}${whole}.${fraction}`;
}

/** The same; null where the amount or the decimals are not known. */
export const decimalOf = (amount: bigint | undefined, decimals: number | undefined): string | null =>
  amount === undefined || decimals === undefined ? null : toExactDecimal(amount, decimals);

/** A double's digits without an exponent. */
export function plainDecimal(double: number): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(double)) ?? [];
  const shift = Number(exponent);
  const digits = BigInt(whole + fraction) * 10n ** BigInt(Math.max(0, shift - fraction.length));
  return sign + toExactDecimal(digits, Math.max(0, fraction.length - shift));
}
