// Where a step of a swap must stop: at the next initialised tick or, if that lies in another word of the pool's
// bitmap, at the word's edge. The edges matter although nothing happens there: every step rounds.
// v3-core contracts/libraries/TickBitmap.sol

/** The last tick that one word of the bitmap shows, looking down (`lte`, `tick` included) or up (`tick` excluded). */
export function lastTickOfWord(tick: number, tickSpacing: number, lte: boolean): number {
  const compressed = Math.floor(tick / tickSpacing);
  return lte ? (compressed >> 8) * 256 * tickSpacing : (((compressed + 1) >> 8) * 256 + 255) * tickSpacing;
}

interface NextTick {
  next: number;
  initialized: boolean;
}

/**
 * `TickBitmap.nextInitializedTickWithinOneWord` over sorted initialised ticks instead of a bitmap. `lte` looks at or
 * below `tick`, otherwise strictly above. The result can lie beyond MIN_TICK or MAX_TICK: callers clamp it.
 */
export function nextInitializedTickWithinOneWord(
  initializedTicks: readonly number[],
  from: { tick: number; tickSpacing: number; lte: boolean },
): NextTick {
  const { tick, tickSpacing, lte } = from;
  const edge = lastTickOfWord(tick, tickSpacing, lte);
  const above = firstAbove(initializedTicks, tick);
  const candidate = initializedTicks[lte ? above - 1 : above];
  const initialized = candidate !== undefined && (lte ? candidate >= edge : candidate <= edge);
  return { next: initialized ? candidate : edge, initialized };
}

/** Index of the first of ascending `ticks` that is greater than `tick`, by halving: as many are at or below it. */
export function firstAbove(ticks: readonly number[], tick: number): number {
  let low = 0;
  let high = ticks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ticks[middle] ?? 0) <= tick) low = middle + 1;
    else high = middle;
  }
  return low;
}
