// Ranges and price limits where a replay can go wrong: shared ranges, one-tick ranges, the whole range, bitmap words'
// edges; limits exactly on a tick's price, one beside it, or far from any tick.
import { getSqrtRatioAtTick, MAX_SQRT_RATIO, MAX_TICK, MIN_SQRT_RATIO, MIN_TICK } from "../../core/math/tick-math.ts";
import type { PoolState } from "../../core/v3/state.ts";
import type { Random } from "../scenario/random.ts";

interface Choice {
  state: PoolState;
  random: Random;
}

/** A valid range for a new position. */
export function chooseRange({ state, random }: Choice): [tickLower: number, tickUpper: number] {
  const { tickSpacing, tick } = state;
  const [lowest, highest] = [Math.trunc(MIN_TICK / tickSpacing), Math.trunc(MAX_TICK / tickSpacing)];
  const existing = [...state.positions.values()];
  const current = Math.floor(tick / tickSpacing);
  const word = 256;
  const kinds: (() => [start: number, length: number])[] = [
    () => [lowest, highest - lowest],
    () => [current, 1],
    () => [current + random.between(-20, 20), 1],
    () => [current - random.between(0, 30), random.between(1, 60)],
    () => [current - random.between(0, 300), random.between(1, 600)],
    () => [Math.floor(current / word) * word + word * random.between(-1, 1), random.pick([1, 255, word, 257])],
    () => [Math.floor(current / word) * word - 1, random.between(1, 3)],
  ];
  if (existing.length > 0 && random.chance(0.35)) {
    const { tickLower, tickUpper } = random.pick(existing);
    return random.chance(0.8)
      ? [tickLower, tickUpper]
      : [tickLower, Math.min(tickUpper + tickSpacing, highest * tickSpacing)];
  }
  const [start, length] = random.pick(kinds)();
  const from = Math.max(lowest, Math.min(highest - 1, start));
  const to = from + length;
  return [from * tickSpacing, Math.max(from + 1, Math.min(highest, to)) * tickSpacing];
}

/** A price limit on the side the swap goes to. */
export function priceNear({ state, random, zeroForOne }: Choice & { zeroForOne: boolean }): bigint {
  const sign = zeroForOne ? -1 : 1;
  const ahead = state.ticks.filter(({ tick }) => (zeroForOne ? tick <= state.tick : tick > state.tick));
  const word = 256 * state.tickSpacing;
  const edge = (Math.floor(state.tick / word) + (zeroForOne ? 0 : 1)) * word;
  const ticks = [
    edge,
    edge - state.tickSpacing,
    edge + sign * word,
    state.tick + sign * random.between(1, 50),
    state.tick + sign * random.between(1, 20) * state.tickSpacing,
    state.tick + sign * random.between(1, 3000),
  ];
  const target = ahead.length > 0 && random.chance(0.6) ? random.pick(ahead).tick : random.pick(ticks);
  const clamped = Math.max(MIN_TICK, Math.min(MAX_TICK, target));
  const price = getSqrtRatioAtTick(clamped) + BigInt(random.pick([0, 0, 0, 1, -1, random.between(-1000, 1000)]));
  if (price <= MIN_SQRT_RATIO) return MIN_SQRT_RATIO + 1n;
  return price >= MAX_SQRT_RATIO ? MAX_SQRT_RATIO - 1n : price;
}
