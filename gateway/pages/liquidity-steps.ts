// A v3 pool's liquidity between its ticks, as steps that can be drawn. Pure.

export interface LiquidityStep {
  /** The lower tick is inside, the upper one is not. */
  from: number;
  to: number;
  liquidity: bigint;
}

/** Between each two initialised ticks, ascending; `ticks` ascending and all of the pool. */
export function liquiditySteps(ticks: readonly { tick: number; liquidityNet: bigint }[]): LiquidityStep[] {
  let liquidity = 0n;
  return ticks.flatMap(({ tick, liquidityNet }, i) => {
    liquidity += liquidityNet;
    const next = ticks[i + 1];
    return next ? [{ from: tick, to: next.tick, liquidity }] : [];
  });
}

export interface TickWindow {
  from: number;
  to: number;
}

/** A price a hundred times as high or low: anything further away would squeeze everything else together. */
const FURTHEST = 46_055;

/** What a picture shows: every tick of `marks` that is not far from the price, and some room on both sides. */
export function windowAround(
  tick: number,
  { marks, spacing }: { marks: readonly number[]; spacing: number },
): TickWindow {
  const near = marks.filter((mark) => Math.abs(mark - tick) <= FURTHEST);
  const [least, most] = [Math.min(tick - 10 * spacing, ...near), Math.max(tick + 10 * spacing, ...near)];
  const room = Math.ceil((most - least) * 0.04);
  return { from: least - room, to: most + room };
}
