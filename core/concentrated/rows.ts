// What the reducer says changed, and what it can be restored from: one plain row per entity, holding the contract's
// storage after the last fact applied.
import type { TickGrowth } from "../math/tick.ts";
import type { PoolPoint, PositionPoint } from "./position-amounts.ts";

/** What changes of a pool itself. */
export interface PoolSlot extends PoolPoint {
  liquidity: bigint;
  protocolFees0: bigint;
  protocolFees1: bigint;
  feeProtocol0: number;
  feeProtocol1: number;
}

export interface PoolRow extends PoolSlot {
  kind: "pool";
  pool: string;
}

/** `liquidityGross` 0 means: no longer initialised, its row ends. */
export interface TickRow extends TickGrowth {
  kind: "tick";
  pool: string;
  liquidityGross: bigint;
  liquidityNet: bigint;
}

/** The pool's own position of (owner, range). The contract never deletes one, so rows with zeros stay. */
export interface PositionRow extends PositionPoint {
  kind: "position";
  pool: string;
  owner: string;
}

/** The manager's token id. `owner` is the zero address once it is burnt: its row ends. */
export interface NftRow extends PositionPoint {
  kind: "nft";
  tokenId: bigint;
  owner: string;
  pool: string;
}

export type V3Row = PoolRow | TickRow | PositionRow | NftRow;
