// An island's storage as far as it decides what stands behind its shares, and what one transaction has said so far.
import type { IslandSettings, TransferOutFact } from "./facts.ts";
import type { IslandMismatchError } from "./island-mismatch.ts";

/** What never changes in an island. */
export interface IslandConstants {
  island: string;
  pool: string;
  token0: string;
  token1: string;
}

/** An island at the end of a block; what the reducer says changed, and what it can be restored from. */
export interface FoldedIsland extends IslandSettings {
  island: string;
  /** The zero address where nobody manages it. */
  manager: string;
  /** Collected for the manager and not paid out yet: held by the island, but not the holders'. */
  managerBalance0: bigint;
  managerBalance1: bigint;
}

/** An island whose worth is known. */
export interface IslandRow extends FoldedIsland {
  tickLower: number;
  tickUpper: number;
  managerFeeBps: number;
}

/** Whether range and fee are determined; the treasury decides nothing by itself. */
export const isDetermined = (island: FoldedIsland): island is IslandRow =>
  island.tickLower !== undefined && island.tickUpper !== undefined && island.managerFeeBps !== undefined;

/** A transfer to the treasury, taken for a payout of the manager's balance until the transaction says otherwise. */
export interface Payout {
  at: TransferOutFact;
  side: 0 | 1;
  amount: bigint;
  /** The manager's balance before it. */
  balance: bigint;
  /** To an address that may be the treasury: it is not known yet which one is. */
  isGuess: boolean;
}

export interface IslandState extends IslandConstants, FoldedIsland {
  /** Collected since the last `FeesEarned` of this transaction, less the principal in it. */
  gross: [bigint, bigint];
  /** Since the last `FeesEarned`, `Burned` or `Rebalance` of this transaction. */
  payouts: Payout[];
  /** The transaction that these belong to. */
  txIndex: number;
  hasChanged: boolean;
  /** As of the end of the block that is being applied: what its events leave open. */
  atEnd: IslandSettings | undefined;
  /** Set once events contradict each other: this island takes no more facts. */
  stopped: IslandMismatchError | undefined;
}

export function createIsland(constants: IslandConstants, row: Omit<FoldedIsland, "island">): IslandState {
  return {
    ...constants,
    ...row,
    gross: [0n, 0n],
    payouts: [],
    txIndex: -1,
    hasChanged: false,
    atEnd: undefined,
    stopped: undefined,
  };
}

export const rowOf = (state: IslandState): FoldedIsland => ({
  island: state.island,
  tickLower: state.tickLower,
  tickUpper: state.tickUpper,
  manager: state.manager,
  managerFeeBps: state.managerFeeBps,
  treasury: state.treasury,
  managerBalance0: state.managerBalance0,
  managerBalance1: state.managerBalance1,
});
