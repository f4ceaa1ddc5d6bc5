// Where a v3 pool's liquidity lies, with the price in it and the ranges of islands below. The server draws it; equal widths are
// equal factors of the price.
import type { Child } from "hono/jsx";
import { type LiquidityStep, type TickWindow, windowAround } from "../liquidity-steps.ts";
import type { Decimals } from "../tick-price.ts";
import { TickPrice, type TickRange } from "./tick-range.tsx";

interface LiquidityPictureProps {
  steps: readonly LiquidityStep[];
  /** Where the price is. */
  tick: number;
  spacing: number;
  decimals: Decimals;
  /** Drawn as bars under the picture, in this order. */
  islands: readonly TickRange[];
  /** Of token0 and token1. */
  names: readonly [Child, Child];
  /** Names the picture. */
  caption: string;
}

const WIDTH = 1_000;
const HEIGHT = 240;
/** Of one island's bar, with the gap above it. */
const BAR = 14;
const MOST_BARS = 12;

export function LiquidityPicture({ steps, tick, spacing, decimals, islands, names, caption }: LiquidityPictureProps) {
  const bars = islands.slice(0, MOST_BARS);
  const marks = [...steps, ...bars.map(({ tickLower, tickUpper }) => ({ from: tickLower, to: tickUpper }))];
  const window = windowAround(tick, { marks: marks.flatMap(({ from, to }) => [from, to]), spacing });
  const shown = steps.filter(({ from, to }) => to > window.from && from < window.to);
  const price = along(tick, window);
  const height = HEIGHT + bars.length * BAR;
  return (
    <figure class="liquidity">
      <figcaption>{caption}</figcaption>
      <svg class="liquidity-picture" viewBox={`0 0 ${WIDTH} ${height}`} preserveAspectRatio="none" aria-hidden="true">
        <Area steps={shown} window={window} tick={tick} />
        <path class="axis" d={`M0 ${HEIGHT}H${WIDTH}`} />
        {bars.map((bar, i) => (
          <IslandBar range={bar} window={window} top={HEIGHT + i * BAR + 5} />
        ))}
        <path class="price-mark" d={`M${price.toFixed(1)} 0V${height}`} />
      </svg>
      <p class="ends" aria-hidden="true">
        <TickPrice tick={window.from} decimals={decimals} />
        <TickPrice tick={window.to} decimals={decimals} />
      </p>
      <p class="legend quiet">
        <Key kind="below" /> {names[1]}, waiting below the price <Key kind="above" /> {names[0]}, waiting above it{" "}
        <Key kind="price" /> the price{" "}
        {bars.length > 0 && (
          <>
            <Key kind="island" /> ranges of islands
          </>
        )}
      </p>
      {islands.length > bars.length && (
        <p class="quiet">{`Ranges of ${bars.length} of its ${islands.length} islands are drawn.`}</p>
      )}
    </figure>
  );
}

const along = (tick: number, { from, to }: TickWindow): number =>
  Math.min(WIDTH, Math.max(0, ((tick - from) / (to - from)) * WIDTH));

/** Of 0 to `most`; a step that holds anything can be seen. */
function heightOf(liquidity: bigint, most: bigint): number {
  if (liquidity <= 0n || most <= 0n) return 0;
  return Math.max(2, Number((liquidity * BigInt((HEIGHT - 8) * 100)) / most) / 100);
}

/** The step with the price in it is two halves. */
function Area({ steps, window, tick }: { steps: readonly LiquidityStep[]; window: TickWindow; tick: number }) {
  let most = 0n;
  for (const { liquidity } of steps) if (liquidity > most) most = liquidity;
  const pathOf = (side: readonly LiquidityStep[]): string =>
    side
      .filter(({ liquidity, from, to }) => liquidity > 0n && to > from)
      .map(({ from, to, liquidity }) => {
        const [left, right] = [along(from, window).toFixed(1), along(to, window).toFixed(1)];
        return `M${left} ${HEIGHT}V${(HEIGHT - heightOf(liquidity, most)).toFixed(1)}H${right}V${HEIGHT}Z`;
      })
      .join("");
  const below = steps.map((step) => ({ ...step, to: Math.min(step.to, tick) }));
  const above = steps.map((step) => ({ ...step, from: Math.max(step.from, tick) }));
  return (
    <>
      <path class="below" d={pathOf(below)} />
      <path class="above" d={pathOf(above)} />
    </>
  );
}

function IslandBar({ range, window, top }: { range: TickRange; window: TickWindow; top: number }) {
  const [left, right] = [along(range.tickLower, window), along(range.tickUpper, window)];
  return (
    <rect
      class="kind-island"
      x={left.toFixed(1)}
      y={top}
      width={Math.max(2, right - left).toFixed(1)}
      height={BAR - 6}
    />
  );
}

function Key({ kind }: { kind: "below" | "above" | "price" | "island" }) {
  return (
    <svg class="dot" viewBox="0 0 10 10" aria-hidden="true">
      <rect
        class={kind === "price" ? "price-key" : kind === "island" ? "kind-island" : kind}
        width="10"
        height="10"
        rx="2"
      />
    </svg>
  );
}
