// The curve of a launch: what a token costs after so much has been raised, with the place where it stands. Drawn by the server.
import type { LaunchAt } from "../../questions/launches.ts";

const WIDTH = 360;
const HEIGHT = 150;
const STEPS = 40;
const FLOOR = 20;

interface Place {
  x: number;
  y: number;
}

/** `part` of the way from the first root of a price to the last one; its price is in parts of the last one. */
function placeOf(part: number, first: number): Place {
  const root = first + part * (1 - first);
  return { x: part * WIDTH, y: HEIGHT - root * root * (HEIGHT - 10) };
}

/** The base tokens raised grow with the root of the price: both go straight from one end to the other. */
function partOf({ sqrtPa, sqrtPb, sqrtPrice, graduated }: LaunchAt["curve"]): number {
  if (graduated || sqrtPb <= sqrtPa) return 1;
  const scale = 1_000_000n;
  const part = Number(((sqrtPrice - sqrtPa) * scale) / (sqrtPb - sqrtPa)) / Number(scale);
  return Math.min(1, Math.max(0, part));
}

const pathOf = (places: readonly Place[]): string =>
  places.map(({ x, y }, i) => `${i === 0 ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

export function CurvePicture({ curve }: { curve: LaunchAt["curve"] }) {
  const scale = 1_000_000n;
  const first = curve.sqrtPb > 0n ? Number((curve.sqrtPa * scale) / curve.sqrtPb) / Number(scale) : 0;
  const now = partOf(curve);
  const steps = Array.from({ length: STEPS + 1 }, (_, i) => i / STEPS);
  const sold = [...steps.filter((part) => part < now), now].map((part) => placeOf(part, first));
  const { x, y } = placeOf(now, first);
  const side = now > 0.6 ? "end" : "start";
  return (
    <svg class="picture" viewBox={`-8 0 ${WIDTH + 16} ${HEIGHT + FLOOR}`} aria-hidden="true">
      <path class="base" d={`M0 ${HEIGHT}H${WIDTH}`} />
      <path class="curve" d={pathOf(steps.map((part) => placeOf(part, first)))} />
      <path class="sold" d={pathOf(sold)} />
      <circle class="now" cx={x.toFixed(1)} cy={y.toFixed(1)} r="5" />
      <text
        class="strong"
        x={(x + (side === "end" ? -9 : 9)).toFixed(1)}
        y={Math.max(14, y - 6).toFixed(1)}
        text-anchor={side}
      >
        {curve.graduated ? "graduated" : "now"}
      </text>
      <text class="soft" x="0" y={HEIGHT + 14}>
        nothing raised
      </text>
      <text class="soft" x={WIDTH} y={HEIGHT + 14} text-anchor="end">
        all raised
      </text>
    </svg>
  );
}

const BAR = 10_000;

/** The raised part of the whole amount to raise. */
export function ProgressBar({ progress: { numerator, denominator } }: Pick<LaunchAt, "progress">) {
  const done = denominator === 0n ? 0 : Number((numerator * BigInt(BAR)) / denominator);
  return (
    <svg class="progress" viewBox={`0 0 ${BAR} 100`} preserveAspectRatio="none" aria-hidden="true">
      <rect class="track" width={BAR} height="100" />
      <rect class="done" width={Math.max(numerator > 0n ? 40 : 0, done)} height="100" />
    </svg>
  );
}
