// Pools while the legs of a route go through them, one after the other.
import type { Pool, V2Pool, V3Pool } from "./pool.ts";
import type { TradeType } from "./request.ts";
import type { V2After, V3After } from "./route.ts";
import { amountInRoundingUp, amountOutRoundingDown, type Reserves } from "./v2-fill.ts";
import { fillExactIn, fillExactOut, startOf, stateAt, type V3Place } from "./v3-fill.ts";
import { stepTable } from "./v3-steps.ts";

/** One swap in one pool; `after` tells the state it left, worked out when asked. */
export interface Swapped {
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly ticksCrossed: number;
  after(): V3After | V2After;
}

export class V3Run {
  #pool: V3Pool;
  #place: V3Place | undefined;

  constructor(pool: V3Pool) {
    this.#pool = pool;
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
    // the other way round: what was swapped so far is part of the state that the new table begins with
    if (this.#place !== undefined) this.#pool = { ...this.#pool, ...stateAt(this.#place) };
    return startOf(stepTable(this.#pool, zeroForOne));
  }
}

export class V2Run {
  readonly #pool: V2Pool;
  #reserve0: bigint;
  #reserve1: bigint;

  constructor(pool: V2Pool) {
    this.#pool = pool;
    this.#reserve0 = pool.reserve0;
    this.#reserve1 = pool.reserve1;
  }

  /** What the pair asks for an output; nothing moves. */
  inputFor(tokenIn: string, amountOut: bigint): bigint | undefined {
    return amountInRoundingUp(this.#reserves(tokenIn), amountOut);
  }

  /** Sells and keeps what came in; undefined, and unmoved, when the pair would refuse. */
  sell(tokenIn: string, amountIn: bigint): Swapped | undefined {
    const amountOut = amountOutRoundingDown(this.#reserves(tokenIn), amountIn);
    if (amountOut === undefined) return undefined;
    const isZero = tokenIn === this.#pool.token0;
    this.#reserve0 += isZero ? amountIn : -amountOut;
    this.#reserve1 += isZero ? -amountOut : amountIn;
    const after = { kind: "v2", reserve0: this.#reserve0, reserve1: this.#reserve1 } as const;
    return { amountIn, amountOut, ticksCrossed: 0, after: () => after };
  }

  #reserves(tokenIn: string): Reserves {
    const { token0, fee } = this.#pool;
    const [reserveIn, reserveOut] =
      tokenIn === token0 ? [this.#reserve0, this.#reserve1] : [this.#reserve1, this.#reserve0];
    return { reserveIn, reserveOut, fee };
  }
}

export function runOf(pool: Pool): V3Run | V2Run {
  return pool.kind === "v3" ? new V3Run(pool) : new V2Run(pool);
}
