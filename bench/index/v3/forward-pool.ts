// A v3 pool that swaps: given an exact input, it moves through its ticks as the contract does and returns the amounts.
// v3-core UniswapV3Pool.sol `swap`, without the fee growth.
import { getAmount0DeltaRoundingUp, getAmount1DeltaRoundingUp } from "../../../core/math/sqrt-price-math.ts";
import { computeSwapStep } from "../../../core/math/swap-math.ts";
import { nextInitializedTickWithinOneWord } from "../../../core/math/tick-bitmap.ts";
import {
  getSqrtRatioAtTick,
  getTickAtSqrtRatio,
  MAX_SQRT_RATIO,
  MIN_SQRT_RATIO,
} from "../../../core/math/tick-math.ts";

export interface Amounts {
  amount0: bigint;
  amount1: bigint;
}

export class ForwardPool {
  readonly fee: bigint;
  readonly tickSpacing: number;
  price: bigint;
  tick: number;
  liquidity = 0n;
  readonly #net = new Map<number, bigint>();
  #ticks: number[] = [];

  constructor({ fee, tickSpacing, price }: { fee: number; tickSpacing: number; price: bigint }) {
    this.fee = BigInt(fee);
    this.tickSpacing = tickSpacing;
    this.price = price;
    this.tick = getTickAtSqrtRatio(price);
  }

  mint(tickLower: number, tickUpper: number, amount: bigint): Amounts {
    const from = this.tick < tickLower ? tickLower : this.tick >= tickUpper ? tickUpper : undefined;
    const at = from === undefined ? this.price : getSqrtRatioAtTick(from);
    if (from === undefined) this.liquidity += amount;
    for (const [tick, net] of [
      [tickLower, amount],
      [tickUpper, -amount],
    ] as const)
      this.#net.set(tick, (this.#net.get(tick) ?? 0n) + net);
    this.#ticks = [...this.#net.keys()].sort((a, b) => a - b);
    return {
      amount0: getAmount0DeltaRoundingUp(at, getSqrtRatioAtTick(tickUpper), amount),
      amount1: getAmount1DeltaRoundingUp(getSqrtRatioAtTick(tickLower), at, amount),
    };
  }

  /** Sells `input` of one token; the amounts are the pool's changes. */
  swap(zeroForOne: boolean, input: bigint): Amounts {
    const limit = zeroForOne ? MIN_SQRT_RATIO + 1n : MAX_SQRT_RATIO - 1n;
    let left = input;
    let received = 0n;
    while (left > 0n && this.price !== limit) {
      const { tick, tickSpacing } = this;
      const found = nextInitializedTickWithinOneWord(this.#ticks, { tick, tickSpacing, lte: zeroForOne });
      const nextPrice = getSqrtRatioAtTick(found.next);
      const step = computeSwapStep(this.price, nextPrice, this.liquidity, left, this.fee);
      left -= step.amountIn + step.feeAmount;
      received += step.amountOut;
      const start = this.price;
      this.price = step.sqrtRatioNextX96;
      if (this.price === nextPrice) this.#cross(found.next, zeroForOne);
      else if (this.price !== start) this.tick = getTickAtSqrtRatio(this.price);
    }
    const [paid, given] = [input - left, -received];
    return zeroForOne ? { amount0: paid, amount1: given } : { amount0: given, amount1: paid };
  }

  #cross(tick: number, zeroForOne: boolean): void {
    const net = this.#net.get(tick) ?? 0n;
    this.liquidity += zeroForOne ? -net : net;
    this.tick = zeroForOne ? tick - 1 : tick;
  }
}
