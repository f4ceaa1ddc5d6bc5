// One pool of the list at a block, with all that answers show of it. USD are integers of price.ts, percent of apr.ts;
// undefined: unknown, because a price is missing or because the pool's own state is unknown.
import type { ListedVault } from "../../core/vaults/vault-list.ts";
import type { Address } from "../parameters.ts";
import type { IncompleteReason } from "../protocols/island/island.ts";
import type { BaultAt } from "./baults-at.ts";
import type { StakeContract } from "./stake-contracts.ts";

export interface VaultPool {
  /** The share token: the island or the pair. */
  address: Address;
  provider: "kodiak" | "v2";
  /** The v3 pool of an island; a pair is its own. */
  pool: Address;
  token0: Address;
  token1: Address;
  /** Undefined where the island's state is unknown. */
  lowerTick: number | undefined;
  upperTick: number | undefined;
  /** Undefined without a price: not initialised, or empty. */
  currentTick: number | undefined;
  /** Of a swap, in 1/1,000,000. */
  feeTier: number | undefined;
  managerFeeBps: number | undefined;
  /** Undefined where nobody manages it; null when unknown: neither events nor the node give it. */
  managerTreasury: Address | null | undefined;
  /** Unix seconds. */
  createdAt: number;
  /** Raw units of token0 and token1 behind all shares, as the contract counts; undefined when unknown. */
  amounts: readonly [bigint, bigint] | undefined;
  /** LP fees that accrued in the trailing week, after protocol and manager, raw units; undefined when unknown. */
  fees: readonly [bigint, bigint] | undefined;
  /** Raw units of the share; undefined where its ledger is impossible. */
  supply: bigint | undefined;
  /** Why it is unknown what stands behind the shares. */
  incomplete: IncompleteReason | undefined;
}

export interface FarmRecord extends StakeContract {
  tvl: bigint | undefined;
  /** Without what is paid in `unpriced`. */
  apr: bigint | undefined;
  /** Tokens that it pays and that have no price. */
  unpriced: readonly Address[];
}

export interface VaultRecord extends ListedVault, VaultPool {
  /** LP fees of the trailing week. */
  weeklyFees: bigint | undefined;
  /** Every reward vault and farm, the largest first. */
  farms: readonly FarmRecord[];
  baults: readonly BaultAt[];
  /** Tokens whose missing price leaves some number of the record unknown, ascending. */
  unpriced: readonly Address[];
  /** Farms that have not been read from the chain: what they pay is not known, nor what all pay together. */
  unread: readonly Address[];
  /** The share, and vaults and farms over it, of which nobody can say who has what in them, ascending. */
  stopped: readonly Address[];
}
