// Facts that decide where launch curves stand, as rows of the fact tables in the order of the chain.

export interface LaunchPlace {
  block: number;
  logIndex: number;
  /** Unix seconds of the block. */
  timestamp: number;
}

export interface PoolInitialized extends LaunchPlace {
  kind: "initialized";
  pool: string;
  token: string;
  baseToken: string;
  deployer: string;
  /** Square roots of the first and the last price, scaled by 1e18. */
  sqrtPa: bigint;
  sqrtPb: bigint;
}

export interface CurveSync extends LaunchPlace {
  kind: "sync";
  pool: string;
  /** Raw units left to sell, and raised. */
  tokenReserve: bigint;
  baseReserve: bigint;
  sqrtPrice: bigint;
}

export interface CurveSwap extends LaunchPlace {
  kind: "swap";
  pool: string;
  /** Raw units of the base token that came in, or went out. */
  base: bigint;
}

export interface PoolGraduated extends LaunchPlace {
  kind: "graduated";
  pool: string;
}

/** A v2 pair of any two tokens: the one that a curve graduates into may be older than the curve's end. */
export interface PairCreated extends LaunchPlace {
  kind: "pair";
  pair: string;
  token0: string;
  token1: string;
}

export type LaunchFact = PoolInitialized | CurveSync | CurveSwap | PoolGraduated | PairCreated;
