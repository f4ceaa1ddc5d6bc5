// What the router knows about a pool: its state at one block. A pool is a value: a newer state is a new object. The tables that
// quoting needs are of an object (pool-tables.ts), so one that is in graphs of several blocks is prepared once.

/** A Uniswap v3 pool. Addresses in lower case, token0 < token1. */
export interface V3Pool {
  readonly kind: "v3";
  readonly address: string;
  readonly token0: string;
  readonly token1: string;
  /** In hundredths of a basis point: 3000 is 0.3 %. */
  readonly fee: number;
  readonly tickSpacing: number;
  /** √(token1 ÷ token0) in smallest units, Q64.96. 0 in a pool that was never initialised: such a pool is never used. */
  readonly sqrtPriceX96: bigint;
  /** As in `slot0`, which is not always the price's tick: it is one less at a tick that was crossed on the way down. */
  readonly tick: number;
  /** In range. */
  readonly liquidity: bigint;
  /** Initialised ticks, ascending. */
  readonly ticks: readonly V3Tick[];
}

export interface V3Tick {
  readonly tick: number;
  /** What crossing it upward adds to the liquidity in range. */
  readonly liquidityNet: bigint;
}

/** A Uniswap v2 pair. Addresses in lower case, token0 < token1; reserves as `getReserves` returns them. */
export interface V2Pool {
  readonly kind: "v2";
  readonly address: string;
  readonly token0: string;
  readonly token1: string;
  /** In hundredths of a basis point: 3000 is 0.3 %. */
  readonly fee: number;
  readonly reserve0: bigint;
  readonly reserve1: bigint;
  /**
   * What it holds beyond its reserves, sent there by anybody: the next swap that sells the token counts it as sold. Undefined
   * where that is not known; priced as none.
   */
  readonly unsynced0?: bigint | undefined;
  readonly unsynced1?: bigint | undefined;
}

export type Pool = V3Pool | V2Pool;

/** One pool of a path and the token that goes into it. */
export interface Step {
  readonly pool: Pool;
  readonly tokenIn: string;
}

/** The token that comes out. */
export function tokenOutOf({ pool, tokenIn }: Step): string {
  return pool.token0 === tokenIn ? pool.token1 : pool.token0;
}

/** Whether the next swap is paid otherwise than by the reserves. */
export const isUnsynced = (pool: Pool): pool is V2Pool =>
  pool.kind === "v2" && ((pool.unsynced0 ?? 0n) > 0n || (pool.unsynced1 ?? 0n) > 0n);

/** The pool without unsynced tokens: contracts that only quote see it like this, and its price is meant like this. */
export const byReserves = (pool: Pool): Pool =>
  isUnsynced(pool) ? { ...pool, unsynced0: undefined, unsynced1: undefined } : pool;
