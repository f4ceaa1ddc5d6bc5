// What a quote needs to know of a block.
import type { Graph } from "../../core/router/graph.ts";
import type { Address } from "../parameters.ts";
import type { PoolsAt } from "./pools-at.ts";

/** The pools that one router contract reaches: those of its v3 factory, and all v2 pairs. */
export interface Network {
  /** SwapRouter02; undefined where the chain has v2 alone. */
  router: Address | undefined;
  graph: Graph;
}

/** A token as routes name it; what its contract does not give, or has not been read yet, is undefined. */
export interface RouteToken {
  address: Address;
  symbol: string | undefined;
  decimals: number | undefined;
  /** Its contract has not been read yet. */
  isUnread: boolean;
  /** No event of it is recorded: its contract is not going to be read. */
  isUntracked?: boolean;
}

export interface RouterState extends PoolsAt {
  networks: readonly Network[];
}
