// A range of prices with the price in it, small enough for a row of a table.
import { type Decimals, tickPrice } from "../tick-price.ts";
import { shortened } from "./shown-number.tsx";

export interface TickRange {
  tickLower: number;
  tickUpper: number;
}

const WIDTH = 160;
const HEIGHT = 16;

const grouped = (tick: number): string => tick.toLocaleString("en").replace("-", "−");

interface TickPriceProps {
  tick: number;
  decimals: Decimals;
}

/** The price at a tick, whole token1 per whole token0; the tick itself without decimals. */
export function TickPrice({ tick, decimals }: TickPriceProps) {
  const price = tickPrice(tick, decimals);
  const text = price === undefined ? `tick ${grouped(tick)}` : price === "∞" ? price : shortened(price);
  return (
    <span class="number" title={`tick ${grouped(tick)}`}>
      {text}
    </span>
  );
}

/** As the pool itself decides: the upper tick is outside. */
const isInRange = ({ tickLower, tickUpper }: TickRange, tick: number): boolean => tickLower <= tick && tick < tickUpper;

interface RangeCellProps {
  range: TickRange;
  /** Where the price is; undefined when unknown. */
  tick: number | undefined;
  decimals: Decimals;
}

/** The range in words, its picture, and whether the price is inside. */
export function RangeCell({ range, tick, decimals }: RangeCellProps) {
  const { tickLower, tickUpper } = range;
  return (
    <span class="range">
      <span class="range-ends">
        <TickPrice tick={tickLower} decimals={decimals} /> – <TickPrice tick={tickUpper} decimals={decimals} />
      </span>
      {tick !== undefined && <RangePicture range={range} tick={tick} />}
      <RangeState range={range} tick={tick} />
    </span>
  );
}

function RangeState({ range, tick }: Omit<RangeCellProps, "decimals">) {
  if (tick === undefined) return <span class="quiet">the price is not known</span>;
  if (isInRange(range, tick)) return <span class="badge is-good">in range</span>;
  return <span class="badge">{tick < range.tickLower ? "out: price below" : "out: price above"}</span>;
}

/** The range in the middle half of the picture; a price further away stands at the edge. */
function RangePicture({ range: { tickLower, tickUpper }, tick }: { range: TickRange; tick: number }) {
  const width = Math.max(1, tickUpper - tickLower);
  const along = (at: number): number => {
    const place = ((at - (tickLower - width / 2)) / (2 * width)) * WIDTH;
    return Math.min(WIDTH - 1.5, Math.max(1.5, place));
  };
  const [left, right, price] = [along(tickLower), along(tickUpper), along(tick)];
  return (
    <svg class="range-picture" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      <path class="axis" d={`M0 ${HEIGHT / 2}H${WIDTH}`} />
      <rect class="range-bar" x={left} y="4" width={right - left} height={HEIGHT - 8} rx="2" />
      <path class="price-mark" d={`M${price.toFixed(1)} 0V${HEIGHT}`} />
    </svg>
  );
}
