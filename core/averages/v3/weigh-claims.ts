// What all positions of a pool could take out of it, summed over blocks, in one pass over the pool's prices. For a position
// of range [a, b) each part of the claim is a number of b minus the same number of a, as growth below a tick is in v3: so each
// is summed once for every tick that begins or ends a range, and a position is the difference of two readings of two ticks.

import type { PoolPoint } from "../../concentrated/position-amounts.ts";
import type { Fraction } from "../../lookthrough/fraction.ts";
import type { Cumulative } from "../cumulative.ts";
import { BoundaryTicks, type Reading } from "./boundary-ticks.ts";
import { claimSteps } from "./claim-steps.ts";
import { type LiquiditySpan, type PoolHistory, type TickSpan, UnpricedLiquidityError } from "./pool-history.ts";
import { momentsOf } from "./weigh-inside.ts";

/** Raw token units times weight. */
interface WeighedClaim {
  amount0: bigint;
  amount1: bigint;
}

/**
 * For each span, the sum of weight · claim over its blocks: principal and fees, as `claimSteps` has them. `weight` is scaled
 * by 2^FRACTION_BITS, and so are the sums, which err by less than 2^-300 of what they measure in raw units of weight 1.
 * @throws UnpricedLiquidityError when the pool has no price or not both ticks at a block at which a span has liquidity
 */
export function weighClaims(pool: PoolHistory, spans: readonly LiquiditySpan[], weight: Cumulative): WeighedClaim[] {
  const liquid = spans.filter(({ liquidity, from, until }) => liquidity > 0n && until > from);
  const ticks = [...pool.ticks].sort((a, b) => a.from - b.from);
  const terms = { pool: { slots: pool.slots, ticks }, spans: liquid, weight };
  const claims = (mayWrap(terms.pool) ? weighEach(terms) : weighTogether(terms)).values();
  return spans.map((span) => {
    if (span.until <= span.from) return { amount0: 0n, amount1: 0n };
    const held = weight.at(span.until) - weight.at(span.from);
    const owed = { amount0: held * span.tokensOwed0, amount1: held * span.tokensOwed1 };
    if (span.liquidity === 0n) return owed;
    const claim = claims.next().value as WeighedClaim;
    return { amount0: owed.amount0 + claim.amount0, amount1: owed.amount1 + claim.amount1 };
  });
}

/** The spans with liquidity, whose claims are worked out without what is owed already. */
interface Liquid {
  /** With ticks ascending by `from`. */
  pool: PoolHistory;
  /** With liquidity, over a block at least. */
  spans: readonly LiquiditySpan[];
  weight: Cumulative;
}

const SAFE_GROWTH = 1n << 255n;

/**
 * Whether growth may pass 2^256 between two ticks or two blocks. Where it does not, and no tick's growth outside is above the whole,
 * growth inside of a range is an integer that only grows, and can be summed without looking at each block.
 */
function mayWrap({ slots, ticks }: PoolHistory): boolean {
  let next = 0;
  let last0 = 0n;
  let last1 = 0n;
  for (let index = 0; index < slots.length; index++) {
    const slot = slots[index]?.value;
    if (slot === undefined) continue;
    const { feeGrowthGlobal0X128: global0, feeGrowthGlobal1X128: global1 } = slot;
    if (global0 < last0 || global1 < last1 || global0 >= SAFE_GROWTH || global1 >= SAFE_GROWTH) return true;
    [last0, last1] = [global0, global1];
    const until = slots[index + 1]?.from ?? Number.POSITIVE_INFINITY;
    for (let tick = ticks[next]; tick !== undefined && tick.from < until; tick = ticks[++next]) {
      if (tick.feeGrowthOutside0X128 > global0 || tick.feeGrowthOutside1X128 > global1) return true;
    }
  }
  return false;
}

/** A span at its beginning: what its sums were then. */
interface SpanStart extends Reading {
  weight: bigint;
  /** Growth inside that it has been paid, on the same scale as growth below ticks. */
  paid0: bigint;
  paid1: bigint;
}

function weighTogether({ pool, spans, weight }: Liquid): WeighedClaim[] {
  const boundaries = new BoundaryTicks(spans);
  const spanStarts = new Array<SpanStart>(spans.length);
  const claims = new Array<WeighedClaim>(spans.length);
  const pass = new Pass(pool, boundaries, weight);
  for (const { block, starts, ends } of momentsOf(spans)) {
    // the block at which a span ends is none of its own
    pass.changesBefore(block);
    pass.to(block);
    for (const index of ends) {
      claims[index] = claimOf(boundaries, spans[index] as LiquiditySpan, spanStarts[index] as SpanStart);
    }
    pass.changesBefore(block + 1);
    for (const index of starts) spanStarts[index] = spanStartOf(boundaries, spans[index] as LiquiditySpan, pass.slot);
  }
  return claims;
}

/** Takes a pool's changes in their order, and lets the blocks between them weigh. */
class Pass {
  slot: PoolPoint | undefined;
  readonly #pool: PoolHistory;
  readonly #boundaries: BoundaryTicks;
  readonly #weight: Cumulative;
  readonly #first: number;
  #slots = 0;
  #ticks = 0;
  #passed: bigint;

  constructor(pool: PoolHistory, boundaries: BoundaryTicks, weight: Cumulative) {
    this.#pool = pool;
    this.#boundaries = boundaries;
    this.#weight = weight;
    this.#first = pool.slots[0]?.from ?? 0;
    this.#passed = weight.at(this.#first);
  }

  to(block: number): void {
    const at = this.#weight.at(block);
    this.#boundaries.pass(at - this.#passed);
    this.#passed = at;
  }

  changesBefore(block: number): void {
    const { slots, ticks } = this.#pool;
    for (;;) {
      const slot = slots[this.#slots];
      const tick = ticks[this.#ticks];
      if (slot !== undefined && slot.from < block && slot.from <= (tick?.from ?? block)) {
        this.to(slot.from);
        this.slot = slot.value;
        this.#boundaries.moveTo(slot.value);
        this.#slots++;
      } else if (tick !== undefined && tick.from < block) {
        this.to(Math.max(tick.from, this.#first));
        this.#boundaries.setTick(tick);
        this.#ticks++;
      } else return;
    }
  }
}

function spanStartOf(boundaries: BoundaryTicks, span: LiquiditySpan, slot: PoolPoint | undefined): SpanStart {
  const atStart = { from: span.from, until: span.from + 1 };
  const lower = boundaries.initializedSpan(span.tickLower, atStart);
  const upper = boundaries.initializedSpan(span.tickUpper, atStart);
  if (slot === undefined || lower === undefined || upper === undefined) throw new UnpricedLiquidityError(span);
  const [below, above] = [growthBelow(slot, lower), growthBelow(slot, upper)];
  // the contract's growth inside wraps, the sums' does not: what a position was not paid yet is the same in both
  const paid = (inside: bigint, last: bigint): bigint => inside - BigInt.asUintN(256, inside - last);
  return {
    ...between(boundaries.read(span.tickLower), boundaries.read(span.tickUpper)),
    weight: boundaries.totalWeight(),
    paid0: paid(above.growth0 - below.growth0, span.feeGrowthInside0LastX128),
    paid1: paid(above.growth1 - below.growth1, span.feeGrowthInside1LastX128),
  };
}

/** v3-core Tick.sol `getFeeGrowthInside`: growth below a tick since the pool began, as it takes that to be. */
function growthBelow(slot: PoolPoint, { tick, feeGrowthOutside0X128, feeGrowthOutside1X128 }: TickSpan) {
  if (slot.tick >= tick) return { growth0: feeGrowthOutside0X128, growth1: feeGrowthOutside1X128 };
  return {
    growth0: slot.feeGrowthGlobal0X128 - feeGrowthOutside0X128,
    growth1: slot.feeGrowthGlobal1X128 - feeGrowthOutside1X128,
  };
}

function claimOf(boundaries: BoundaryTicks, span: LiquiditySpan, start: SpanStart): WeighedClaim {
  if (!boundaries.initializedSpan(span.tickLower, span) || !boundaries.initializedSpan(span.tickUpper, span)) {
    throw new UnpricedLiquidityError(span);
  }
  const end = between(boundaries.read(span.tickLower), boundaries.read(span.tickUpper));
  const weight = boundaries.totalWeight() - start.weight;
  const growth0 = end.growth0 - start.growth0 - start.paid0 * weight;
  const growth1 = end.growth1 - start.growth1 - start.paid1 * weight;
  return {
    amount0: (((end.principal0 - start.principal0) * span.liquidity) >> 96n) + ((growth0 * span.liquidity) >> 128n),
    amount1: (((end.principal1 - start.principal1) * span.liquidity) >> 96n) + ((growth1 * span.liquidity) >> 128n),
  };
}

const between = (lower: Reading, upper: Reading): Reading => ({
  principal0: upper.principal0 - lower.principal0,
  principal1: upper.principal1 - lower.principal1,
  growth0: upper.growth0 - lower.growth0,
  growth1: upper.growth1 - lower.growth1,
});

/** Each span by itself, at each of its blocks at which anything changes: for pools whose growth wraps. Slow. */
function weighEach({ pool: { slots, ticks }, spans, weight }: Liquid): WeighedClaim[] {
  const byTick = new Map<number, TickSpan[]>();
  for (const tick of ticks) {
    const others = byTick.get(tick.tick);
    if (others === undefined) byTick.set(tick.tick, [tick]);
    else others.push(tick);
  }
  return spans.map((span) => {
    const ends = { lower: byTick.get(span.tickLower) ?? [], upper: byTick.get(span.tickUpper) ?? [] };
    const claim = { amount0: 0n, amount1: 0n };
    const steps = claimSteps(slots, ends, { ...span, tokensOwed0: 0n, tokensOwed1: 0n });
    steps.forEach(({ from, value }, index) => {
      const held = weight.at(steps[index + 1]?.from ?? span.until) - weight.at(from);
      claim.amount0 += weighed(held, value.principal0) + weighed(held, value.fees0);
      claim.amount1 += weighed(held, value.principal1) + weighed(held, value.fees1);
    });
    return claim;
  });
}

const weighed = (weight: bigint, { numerator, denominator }: Fraction): bigint => (weight * numerator) / denominator;
