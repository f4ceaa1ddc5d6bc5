// What is made of a market's sums for one step. Pure; amounts are raw units.
import type { Close, Protocol } from "./series-sql.ts";

/** A fee rate is in 1/1,000,000. */
const FEE_UNIT = 1_000_000n;

/** What the rate takes of all that came in, rounded down; null where facts have no rate. */
export const feesOf = (cameIn: string | undefined, fee: number | null): bigint | null =>
  fee === null ? null : (BigInt(cameIn ?? 0) * BigInt(fee)) / FEE_UNIT;

/** One trade has two sides of about the same worth: their mean, or the one that is known. Rounded down. */
export function meanOfSides(one: bigint | undefined, other: bigint | undefined): bigint | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return (one + other) / 2n;
}

const square = (root: number): number => root * root;

/** Raw token1 per raw token0, as a double. */
function rawClose(protocol: Protocol, { a, b }: Close): number | undefined {
  if (protocol === "v3") return square(Number(a) / 2 ** 96);
  if (protocol === "curve") return square(Number(a) / 1e18);
  return Number(a) === 0 ? undefined : Number(b) / Number(a);
}

/** Whole token1 per whole token0; null without decimals of both, or when the pair was empty. */
export function closeOf(
  protocol: Protocol,
  close: Close,
  [decimals0, decimals1]: readonly (number | undefined)[],
): number | null {
  const raw = rawClose(protocol, close);
  if (raw === undefined || decimals0 === undefined || decimals1 === undefined) return null;
  return raw * 10 ** (decimals0 - decimals1);
}
