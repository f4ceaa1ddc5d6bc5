// Pools while the legs of a route go through them, one after the other.
import type { Pool, V2Pool, V3Pool } from "./pool.ts";
import type { PoolTables } from "./pool-tables.ts";
import type { TradeType } from "./request.ts";
import type { V2After, V3After } from "./route.ts";
import { amountInRoundingUp, amountOutRoundingDown, MAX_RESERVE, type Reserves } from "./v2-fill.ts";
import { fillExactIn, fillExactOut, startOf, stateAt, type V3Place } from "./v3-fill.ts";
import { StepTable } from "./v3-steps.ts";

/** One swap in one pool; `after` returns the state that it left, worked out when called. */
export interface Swapped {
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly ticksCrossed: number;
  after(): V3After | V2After;
}

export class V3Run {
  #pool: V3Pool;
  readonly #tables: PoolTables;
  #place: V3Place | undefined;

  constructor(pool: V3Pool, tables: PoolTables) {
    this.#pool = pool;
    this.#tables = tables;
  }

  /** Swaps and stays where the swap ends; undefined, and unmoved, when the pool cannot fill all of it. */
  swap(tokenIn: string, amount: bigint, type: TradeType): Swapped | undefined {
    const place = this.#placeFor(tokenIn === this.#pool.token0);
    const fill = type === "exactIn" ? fillExactIn(place, amount) : fillExactOut(place, amount);
    if (fill === undefined) return undefined;
    this.#place = fill.place;
    const { amountIn, amountOut, ticksCrossed } = fill;
    return { amountIn, amountOut, ticksCrossed, after: () => stateAt(fill.place) };
  }

  #placeFor(zeroForOne: boolean): V3Place {
    if (this.#place?.table.zeroForOne === zeroForOne) return this.#place;
    if (this.#place === undefined) return startOf(this.#tables.steps(this.#pool, zeroForOne));
    // the other way round: what was swapped so far is part of the state that the new table begins with
    this.#pool = { ...this.#pool, ...stateAt(this.#place) };
    return startOf(new StepTable(this.#pool, zeroForOne));
  }
}

/**
 * SwapRouter02 asks for the input that the reserves demand, but sells all that the pair holds beyond them (V2SwapRouter.sol,
 * `_swap`). After a swap the reserves are the balances (UniswapV2Pair.sol, `_update`).
 */
export class V2Run {
  readonly #pool: V2Pool;
  #reserves: Pair;
  #unsynced: Pair;

  constructor(pool: V2Pool) {
    this.#pool = pool;
    this.#reserves = [pool.reserve0, pool.reserve1];
    this.#unsynced = [pool.unsynced0 ?? 0n, pool.unsynced1 ?? 0n];
  }

  /** What the pair asks for an output; nothing moves. */
  inputFor(tokenIn: string, amountOut: bigint): bigint | undefined {
    return amountInRoundingUp(this.#reservesFor(tokenIn), amountOut);
  }

  /** Sells, with what is unsynced, and keeps what came in; undefined, and unmoved, when the pair would refuse. */
  sell(tokenIn: string, amountIn: bigint): Swapped | undefined {
    if (amountIn <= 0n) return undefined;
    const isZero = tokenIn === this.#pool.token0;
    const [unsyncedIn, unsyncedOut] = isZero ? this.#unsynced : reversed(this.#unsynced);
    const reserves = this.#reservesFor(tokenIn);
    const amountOut = amountOutRoundingDown(reserves, amountIn + unsyncedIn);
    if (amountOut === undefined) return undefined;
    const balances: Pair = [reserves.reserveIn + unsyncedIn + amountIn, reserves.reserveOut + unsyncedOut - amountOut];
    if (balances[1] > MAX_RESERVE) return undefined;
    this.#reserves = isZero ? balances : reversed(balances);
    this.#unsynced = [0n, 0n];
    const [reserve0, reserve1] = this.#reserves;
    const after = { kind: "v2", reserve0, reserve1 } as const;
    return { amountIn, amountOut, ticksCrossed: 0, after: () => after };
  }

  #reservesFor(tokenIn: string): Reserves {
    const { token0, fee } = this.#pool;
    const [reserveIn, reserveOut] = tokenIn === token0 ? this.#reserves : reversed(this.#reserves);
    return { reserveIn, reserveOut, fee };
  }
}

type Pair = readonly [bigint, bigint];

const reversed = ([one, other]: Pair): Pair => [other, one];

export function runOf(pool: Pool, tables: PoolTables): V3Run | V2Run {
  return pool.kind === "v3" ? new V3Run(pool, tables) : new V2Run(pool);
}
