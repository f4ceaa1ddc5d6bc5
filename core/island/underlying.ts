// What stands behind all shares of an island together. KodiakIsland.sol `getUnderlyingBalances`
import type { PositionAmounts } from "../concentrated/position-amounts.ts";
import { managerPartRoundingDown } from "./manager-fee.ts";
import type { IslandRow } from "./state.ts";

/** One token of an island, raw units. */
export interface IslandSide {
  /** Of the position: what its liquidity would pay now. */
  principal: bigint;
  /** Of the position: fees up to now and whatever else is owed to it, the manager's part included. */
  fees: bigint;
  /** The manager's part of these fees, as the contract rounds it. */
  managerPart: bigint;
  /** Beside the position, not the manager's. Below zero the contract itself would refuse to answer. */
  idle: bigint;
  /** Collected for the manager and not paid out yet. */
  managerBalance: bigint;
  /** `getUnderlyingBalances()`. */
  underlying: bigint;
}

/**
 * Both tokens of an island. `position` is what its own position in the pool would pay; `held0`, `held1` are the
 * island's balances of the two tokens.
 */
export function islandSides(
  island: Pick<IslandRow, "managerFeeBps" | "managerBalance0" | "managerBalance1">,
  { position, held0, held1 }: { position: PositionAmounts; held0: bigint; held1: bigint },
): readonly [IslandSide, IslandSide] {
  const { principal0, principal1, fees0, fees1 } = position;
  const { managerFeeBps, managerBalance0, managerBalance1 } = island;
  return [
    side(managerFeeBps, { principal: principal0, fees: fees0, held: held0, managerBalance: managerBalance0 }),
    side(managerFeeBps, { principal: principal1, fees: fees1, held: held1, managerBalance: managerBalance1 }),
  ];
}

function side(
  managerFeeBps: number,
  { held, ...amounts }: Pick<IslandSide, "principal" | "fees" | "managerBalance"> & { held: bigint },
): IslandSide {
  const { principal, fees, managerBalance } = amounts;
  const managerPart = managerPartRoundingDown(fees, managerFeeBps);
  const idle = held - managerBalance;
  return { ...amounts, managerPart, idle, underlying: principal + fees - managerPart + idle };
}
