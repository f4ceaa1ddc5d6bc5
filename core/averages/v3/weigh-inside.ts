// How long the price was within ranges.
import type { PoolPoint, PositionPoint } from "../../concentrated/position-amounts.ts";
import type { Cumulative } from "../cumulative.ts";
import type { Span, Steps } from "../steps.ts";
import { boundariesOf, SumsByTick } from "./sums-by-tick.ts";

type Ticked = Pick<PoolPoint, "tick">;

/** Blocks `from` up to but not including `until`, within the blocks of the pool's steps. */
export interface TickRangeSpan extends Span, Pick<PositionPoint, "tickLower" | "tickUpper"> {}

/**
 * For each span, the weight of the blocks at whose end `tickLower <= tick < tickUpper`, in the unit of `weight`. Weighed by
 * seconds that is the pool's `secondsInside`; weighed by {@link secondsPerLiquidity}, its `secondsPerLiquidityInsideX128`.
 */
export function weighInside(
  slots: Steps<Ticked | undefined>,
  spans: readonly TickRangeSpan[],
  weight: Cumulative,
): bigint[] {
  const inside = spans.map(() => 0n);
  const sums = new SumsByTick(boundariesOf(spans), 1);
  const indexOf = new Map(sums.boundaries.map((tick, index) => [tick, index]));
  const weightInside = (span: number): bigint => {
    const { tickLower, tickUpper } = spans[span] as TickRangeSpan;
    return sums.below(0, indexOf.get(tickUpper) as number) - sums.below(0, indexOf.get(tickLower) as number);
  };
  const passTo = passOver(slots, sums, weight);
  for (const { block, starts, ends } of momentsOf(spans)) {
    passTo(block);
    for (const span of ends) inside[span] = (inside[span] as bigint) + weightInside(span);
    for (const span of starts) inside[span] = (inside[span] as bigint) - weightInside(span);
  }
  return inside;
}

/** Adds the weights of all blocks before one, for ascending ones, at the ticks that the pool had. */
function passOver(slots: Steps<Ticked | undefined>, sums: SumsByTick, weight: Cumulative): (block: number) => void {
  let slot: Ticked | undefined;
  let next = 0;
  let passed = 0n;
  const addUpTo = (block: number): void => {
    const at = weight.at(block);
    if (slot !== undefined) sums.add(0, at - passed);
    passed = at;
  };
  return (block) => {
    for (let step = slots[next]; step !== undefined && step.from <= block; step = slots[next]) {
      addUpTo(step.from);
      slot = step.value;
      if (slot !== undefined) sums.moveTo(slot.tick);
      next++;
    }
    addUpTo(block);
  };
}

/** The blocks at which spans begin or end, ascending, and which ones do. Empty spans are left out. */
export function momentsOf(spans: readonly Span[]): { block: number; starts: number[]; ends: number[] }[] {
  const moments = new Map<number, { block: number; starts: number[]; ends: number[] }>();
  const momentAt = (block: number) => {
    const moment = moments.get(block) ?? { block, starts: [], ends: [] };
    moments.set(block, moment);
    return moment;
  };
  for (let index = 0; index < spans.length; index++) {
    const { from, until } = spans[index] as Span;
    if (until <= from) continue;
    momentAt(from).starts.push(index);
    momentAt(until).ends.push(index);
  }
  return [...moments.values()].sort((a, b) => a.block - b.block);
}
