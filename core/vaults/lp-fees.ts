// What the holders of a pool's shares earned from swaps in a stretch of time, raw units of one token.
import { managerPartRoundingDown } from "../island/manager-fee.ts";

/** One token of what an island collected; raw units. */
export interface CollectedFees {
  /** What the first collection brought, the manager's part included, and what of it was left after that part. */
  firstGross: bigint;
  firstNet: bigint;
  /** What all collections left after the manager's part. */
  collectedNet: bigint;
}

/** One token of an island; pending fees include the manager's part. */
interface IslandFees {
  /** Fees of its position that were not collected yet, at both ends. */
  pendingBefore: bigint;
  pendingNow: bigint;
  /** Undefined when there was no collection in between. */
  collected: CollectedFees | undefined;
  /** The manager's part in force at the end, 1/10,000. */
  managerFeeBps: number;
}

/**
 * Fees that were earned in between, less the manager's part: as it was taken from what was collected, and as it would be taken now
 * from the rest. What had been pending before is left out, even if it was collected in between. Rounded down.
 */
export function islandFeesAccrued({ pendingBefore, pendingNow, collected, managerFeeBps }: IslandFees): bigint {
  const net = (gross: bigint) => gross - managerPartRoundingDown(gross, managerFeeBps);
  if (!collected) return net(aboveZero(pendingNow - pendingBefore));
  const { firstGross, firstNet, collectedNet } = collected;
  const first = firstGross === 0n ? 0n : (aboveZero(firstGross - pendingBefore) * firstNet) / firstGross;
  return first + (collectedNet - firstNet) + net(pendingNow);
}

const aboveZero = (amount: bigint): bigint => (amount > 0n ? amount : 0n);

const MILLION = 1_000_000n;
/** The protocol's part of the growth of a pair, where it takes one. UniswapV2Pair.sol `_mintFee` */
const PROTOCOL_PART = 6n;

/** What came into a v2 pair by swaps: while the protocol took its part of the fee, and while it took none. */
export interface PairSwaps {
  charged: bigint;
  free: bigint;
}

/** The fee in 1/1,000,000 of what came in, less the protocol's sixth where it took one; rounded down once. */
export const pairFeesAccrued = ({ charged, free }: PairSwaps, fee: number): bigint =>
  (BigInt(fee) * (free * PROTOCOL_PART + charged * (PROTOCOL_PART - 1n))) / (MILLION * PROTOCOL_PART);
