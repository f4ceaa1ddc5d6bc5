// What the reducer says changed, and what it can be restored from: one plain row per entity, holding the contract's
// storage after the last fact applied.

export interface PoolRow {
  kind: "pool";
  pool: string;
  sqrtPriceX96: bigint;
  tick: number;
  liquidity: bigint;
  feeGrowthGlobal0X128: bigint;
  feeGrowthGlobal1X128: bigint;
  protocolFees0: bigint;
  protocolFees1: bigint;
  feeProtocol0: number;
  feeProtocol1: number;
}

/** `liquidityGross` 0 means: no longer initialised, its row ends. */
export interface TickRow {
  kind: "tick";
  pool: string;
  tick: number;
  liquidityGross: bigint;
  liquidityNet: bigint;
  feeGrowthOutside0X128: bigint;
  feeGrowthOutside1X128: bigint;
}

/** The pool's own position of (owner, range). The contract never deletes one, so rows with zeros stay. */
export interface PositionRow {
  kind: "position";
  pool: string;
  owner: string;
  tickLower: number;
  tickUpper: number;
  liquidity: bigint;
  feeGrowthInside0LastX128: bigint;
  feeGrowthInside1LastX128: bigint;
  tokensOwed0: bigint;
  tokensOwed1: bigint;
}

/** The manager's token id. `owner` is the zero address once it is burnt: its row ends. */
export interface NftRow {
  kind: "nft";
  tokenId: bigint;
  owner: string;
  pool: string;
  tickLower: number;
  tickUpper: number;
  liquidity: bigint;
  feeGrowthInside0LastX128: bigint;
  feeGrowthInside1LastX128: bigint;
  tokensOwed0: bigint;
  tokensOwed1: bigint;
}

export type V3Row = PoolRow | TickRow | PositionRow | NftRow;
