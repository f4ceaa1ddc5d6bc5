// The manager's part of fees. KodiakIsland.sol `_applyFees`, `getUnderlyingBalances`

const BPS = 10_000n;

/** Of `fees` in raw units at `managerFeeBps` / 10,000, rounded down. */
export const managerPartRoundingDown = (fees: bigint, managerFeeBps: number): bigint =>
  (fees * BigInt(managerFeeBps)) / BPS;
