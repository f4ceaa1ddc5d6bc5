// What one position could take out of its pool, at each block at which that changes: principal and fees, exactly.

import type { PoolPoint } from "../../concentrated/position-amounts.ts";
import type { Fraction } from "../../lookthrough/fraction.ts";
import { Q96, Q128 } from "../../math/fixed-point.ts";
import { type FeeGrowth, getFeeGrowthInside } from "../../math/tick.ts";
import { getSqrtRatioAtTick } from "../../math/tick-math.ts";
import type { Step } from "../steps.ts";
import { type LiquiditySpan, type PoolHistory, type TickSpan, UnpricedLiquidityError } from "./pool-history.ts";

/** Raw token units, nothing rounded: the contract pays each rounded down. `fees` includes what was owed before. */
export interface ExactClaim {
  principal0: Fraction;
  principal1: Fraction;
  fees0: Fraction;
  fees1: Fraction;
}

/**
 * The claim from block `span.from` until before `span.until`; `lower`, `upper`: the spans of the two ticks, ascending. v3-core
 * UniswapV3Pool.sol `_modifyPosition`, Position.sol `update`; sums that wrap at 2^128 there do not wrap here.
 * @throws UnpricedLiquidityError when the pool has no price or not both ticks at one of these blocks
 */
export function claimSteps(
  slots: PoolHistory["slots"],
  { lower, upper }: { lower: readonly TickSpan[]; upper: readonly TickSpan[] },
  span: LiquiditySpan,
): Step<ExactClaim>[] {
  if (span.liquidity === 0n) return [{ from: span.from, value: owedAlone(span) }];
  const bounds = { lower: getSqrtRatioAtTick(span.tickLower), upper: getSqrtRatioAtTick(span.tickUpper) };
  const blocks = [span.from, ...slots.map(({ from }) => from), ...[...lower, ...upper].map(({ from }) => from)];
  const within = [...new Set(blocks.filter((block) => block >= span.from && block < span.until))].sort((a, b) => a - b);
  const slotAt = cursor(slots, () => Number.POSITIVE_INFINITY);
  const lowerAt = cursor(lower, ({ until }) => until);
  const upperAt = cursor(upper, ({ until }) => until);
  return within.map((from, index) => {
    const slot = slotAt(from)?.value;
    const [below, above] = [lowerAt(from), upperAt(from)];
    const next = within[index + 1] ?? span.until;
    if (slot === undefined || !holdsUntil(below, next) || !holdsUntil(above, next)) {
      throw new UnpricedLiquidityError(span);
    }
    return { from, value: claimOf(span, { bounds, slot, inside: getFeeGrowthInside(below, above, slot) }) };
  });
}

const holdsUntil = (tick: TickSpan | undefined, block: number): tick is TickSpan =>
  tick !== undefined && tick.until >= block;

/** Of ascending rows the one that holds at a block, for blocks in ascending order. */
function cursor<Row extends { from: number }>(rows: readonly Row[], untilOf: (row: Row) => number) {
  let index = -1;
  return (block: number): Row | undefined => {
    while (index + 1 < rows.length && (rows[index + 1] as Row).from <= block) index++;
    const row = rows[index];
    return row !== undefined && untilOf(row) > block ? row : undefined;
  };
}

interface Priced {
  /** Square-root prices of the range's ends. */
  bounds: { lower: bigint; upper: bigint };
  slot: PoolPoint;
  inside: FeeGrowth;
}

const whole = (numerator: bigint): Fraction => ({ numerator, denominator: 1n });

/** The claim without liquidity: price and ticks do not matter, and may be missing. */
const owedAlone = ({ tokensOwed0, tokensOwed1 }: LiquiditySpan): ExactClaim => ({
  principal0: whole(0n),
  principal1: whole(0n),
  fees0: whole(tokensOwed0),
  fees1: whole(tokensOwed1),
});

function claimOf(span: LiquiditySpan, { bounds, slot, inside }: Priced): ExactClaim {
  const { liquidity } = span;
  const price = clamped(slot.sqrtPriceX96, bounds);
  const grown = (now: bigint, last: bigint): bigint => BigInt.asUintN(256, now - last) * liquidity;
  return {
    principal0: { numerator: liquidity * Q96 * (bounds.upper - price), denominator: price * bounds.upper },
    principal1: { numerator: liquidity * (price - bounds.lower), denominator: Q96 },
    fees0: {
      numerator: span.tokensOwed0 * Q128 + grown(inside.feeGrowth0X128, span.feeGrowthInside0LastX128),
      denominator: Q128,
    },
    fees1: {
      numerator: span.tokensOwed1 * Q128 + grown(inside.feeGrowth1X128, span.feeGrowthInside1LastX128),
      denominator: Q128,
    },
  };
}

/** Where the tick is outside of the range so is the price: at a boundary's price both sides of it agree. */
function clamped(price: bigint, { lower, upper }: { lower: bigint; upper: bigint }): bigint {
  if (price < lower) return lower;
  return price > upper ? upper : price;
}
