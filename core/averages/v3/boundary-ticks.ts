// The numbers that a pass over a pool's prices sums for every tick at which ranges begin or end.

import type { PoolPoint } from "../../concentrated/position-amounts.ts";
import { getSqrtRatioAtTick } from "../../math/tick-math.ts";
import type { Span } from "../steps.ts";
import type { TickSpan } from "./pool-history.ts";
import { boundariesOf, SumsByTick } from "./sums-by-tick.ts";

// what is summed by tick
const WEIGHT = 0;
/** weight · √P · 2^96 */
const BY_PRICE = 1;
/** weight / √P · 2^96 */
const BY_INVERSE = 2;
const BY_GROWTH_0 = 3;
const BY_GROWTH_1 = 4;

/** Sums at one tick: differences between two ticks are what a range of liquidity 1 is worth, in these units. */
export interface Reading {
  /** Σ weight · amount0 · 2^96 */
  principal0: bigint;
  /** Σ weight · amount1 · 2^96 */
  principal1: bigint;
  /** Σ weight · feeGrowthBelowX128, from an arbitrary beginning. */
  growth0: bigint;
  growth1: bigint;
}

interface Boundary {
  readonly index: number;
  readonly sqrtRatioX96: bigint;
  span: TickSpan | undefined;
  /** First block since which the tick has been initialised without a gap. */
  initializedFrom: number;
  /** Growth below is `outside` or global − `outside`: what must be added to that at today's `outside` for the blocks before. */
  before0: bigint;
  before1: bigint;
}

export class BoundaryTicks {
  readonly #sums: SumsByTick;
  readonly #boundaries: Map<number, Boundary>;
  #slot: PoolPoint | undefined;

  constructor(ranges: readonly { tickLower: number; tickUpper: number }[]) {
    const ticks = boundariesOf(ranges);
    this.#sums = new SumsByTick(ticks, 5);
    this.#boundaries = new Map(
      ticks.map((tick, index) => [
        tick,
        {
          index,
          sqrtRatioX96: getSqrtRatioAtTick(tick),
          span: undefined,
          initializedFrom: Number.POSITIVE_INFINITY,
          before0: 0n,
          before1: 0n,
        },
      ]),
    );
  }

  /** The pool's state from now on. */
  moveTo(slot: PoolPoint | undefined): void {
    this.#slot = slot;
    if (slot !== undefined) this.#sums.moveTo(slot.tick);
  }

  /** Blocks of this weight pass. Before there is a price they do not count. */
  pass(weight: bigint): void {
    const slot = this.#slot;
    if (slot === undefined || weight === 0n) return;
    const sums = this.#sums;
    sums.add(WEIGHT, weight);
    sums.add(BY_PRICE, weight * slot.sqrtPriceX96);
    sums.add(BY_INVERSE, (weight << 192n) / slot.sqrtPriceX96);
    sums.add(BY_GROWTH_0, weight * slot.feeGrowthGlobal0X128);
    sums.add(BY_GROWTH_1, weight * slot.feeGrowthGlobal1X128);
  }

  /** The tick is initialised, with this growth outside from now on. Ticks at which no range ends are passed over. */
  setTick(span: TickSpan): void {
    const boundary = this.#boundaries.get(span.tick);
    if (boundary === undefined) return;
    const last = boundary.span;
    if (last === undefined || last.until !== span.from) boundary.initializedFrom = span.from;
    if (last !== undefined) {
      const above = this.#weightAboveMinusBelow(boundary);
      boundary.before0 += (last.feeGrowthOutside0X128 - span.feeGrowthOutside0X128) * above;
      boundary.before1 += (last.feeGrowthOutside1X128 - span.feeGrowthOutside1X128) * above;
    }
    boundary.span = span;
  }

  /** The tick's span where it has been initialised from block `from` until `until` at least, without a gap. */
  initializedSpan(tick: number, { from, until }: Span): TickSpan | undefined {
    const boundary = this.#boundaries.get(tick);
    if (boundary?.span === undefined || boundary.initializedFrom > from || boundary.span.until < until)
      return undefined;
    return boundary.span;
  }

  totalWeight(): bigint {
    return this.#sums.total(WEIGHT);
  }

  /** All sums of one tick so far. */
  read(tick: number): Reading {
    const boundary = this.#boundaries.get(tick) as Boundary;
    const { index, sqrtRatioX96, span } = boundary;
    const sums = this.#sums;
    const weightBelow = sums.below(WEIGHT, index);
    const weightAbove = sums.total(WEIGHT) - weightBelow;
    const outside = weightAbove - weightBelow;
    return {
      // below the tick 1/√P counts, above it the tick's own, which is a constant for all: only what is below is summed
      principal0: sums.below(BY_INVERSE, index) - (weightBelow << 192n) / sqrtRatioX96,
      principal1: sums.below(BY_PRICE, index) + weightAbove * sqrtRatioX96,
      growth0: sums.below(BY_GROWTH_0, index) + boundary.before0 + (span?.feeGrowthOutside0X128 ?? 0n) * outside,
      growth1: sums.below(BY_GROWTH_1, index) + boundary.before1 + (span?.feeGrowthOutside1X128 ?? 0n) * outside,
    };
  }

  #weightAboveMinusBelow({ index }: Boundary): bigint {
    return this.#sums.total(WEIGHT) - 2n * this.#sums.below(WEIGHT, index);
  }
}
