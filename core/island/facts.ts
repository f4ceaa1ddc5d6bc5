// What the contracts say about islands, as plain rows in event order: the reducer's only input. Addresses are lower-case,
// amounts raw token units.
// Kodiak KodiakIsland.sol, KodiakIslandStorage.sol (in the line of Arrakis V1 ArrakisVaultV1.sol)
import type { FactPlace } from "../fact-place.ts";
import type { Amounts } from "../math/liquidity-amounts.ts";

interface IslandFactPlace extends FactPlace {
  island: string;
}

/**
 * What the events of a block may leave open: as of its end, read from the contract or derived from later events. Undefined:
 * neither gives it.
 */
export interface IslandSettings {
  tickLower: number | undefined;
  tickUpper: number | undefined;
  /** 1/10,000. */
  managerFeeBps: number | undefined;
  treasury: string | undefined;
}

/** All of it is unknown. */
export const OPEN_SETTINGS: IslandSettings = {
  tickLower: undefined,
  tickUpper: undefined,
  managerFeeBps: undefined,
  treasury: undefined,
};

/** `IslandCreated`; `manager` is the zero address where the island belongs to nobody. */
export interface IslandCreatedFact extends IslandFactPlace {
  kind: "created";
  pool: string;
  token0: string;
  token1: string;
  manager: string;
  /** Undefined while nobody could read them: the island waits. */
  settings: IslandSettings | undefined;
}

/** The pool's `Burn` with the island as owner: principal that became owed. */
interface PoolBurnFact extends IslandFactPlace, Amounts {
  kind: "poolBurn";
}

/** The pool's `Collect` with the island as owner: principal and fees paid out. */
interface PoolCollectFact extends IslandFactPlace, Amounts {
  kind: "poolCollect";
}

/** `FeesEarned`: what was collected beyond principal, without the manager's part. */
export interface FeesEarnedFact extends IslandFactPlace, Amounts {
  kind: "fees";
}

/** `Burned`: the island has just paid `receiver`. */
export interface SharesBurnedFact extends IslandFactPlace {
  kind: "burned";
  receiver: string;
}

/** `Rebalance`: the range from here on, the same one where it only compounded. */
interface RebalanceFact extends IslandFactPlace {
  kind: "rebalance";
  tickLower: number;
  tickUpper: number;
}

/** `UpdateManagerParams`. */
interface ManagerParamsFact extends IslandFactPlace {
  kind: "params";
  managerFeeBps: number;
  treasury: string;
}

/** `OwnershipTransferred` to somebody. */
interface NewManagerFact extends IslandFactPlace {
  kind: "newManager";
  manager: string;
}

/** `OwnershipTransferred` to the zero address: fee and treasury become the factory's, which are in no event of the factory. */
interface RenouncedFact extends IslandFactPlace {
  kind: "renounced";
  /** Undefined while nobody could read them: the island waits. */
  settings: IslandSettings | undefined;
}

/** ERC-20 `Transfer` of one of its tokens out of the island, above zero: anyone can log a transfer of nothing. */
export interface TransferOutFact extends IslandFactPlace {
  kind: "transferOut";
  /** Token0 or token1. */
  side: 0 | 1;
  to: string;
  amount: bigint;
}

export type IslandFact =
  | IslandCreatedFact
  | PoolBurnFact
  | PoolCollectFact
  | FeesEarnedFact
  | SharesBurnedFact
  | RebalanceFact
  | ManagerParamsFact
  | NewManagerFact
  | RenouncedFact
  | TransferOutFact;
