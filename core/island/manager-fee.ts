// The manager's part of fees. KodiakIsland.sol `_applyFees`, `getUnderlyingBalances`

const BPS = 10_000n;

/** Of `fees` in raw units at `managerFeeBps` / 10,000, rounded down. */
export const managerPartRoundingDown = (fees: bigint, managerFeeBps: number): bigint =>
  (fees * BigInt(managerFeeBps)) / BPS;

/**
 * The fee in 1/10,000 for which {@link managerPartRoundingDown} gives `managersPart` of `gross`; undefined where several fees do.
 * Both in raw units.
 */
export function feeOfPart(gross: bigint, managersPart: bigint): number | undefined {
  if (gross <= 0n) return undefined;
  const lowest = (managersPart * BPS + gross - 1n) / gross;
  const highest = ((managersPart + 1n) * BPS - 1n) / gross;
  return lowest === highest ? Number(lowest) : undefined;
}
