// Lines over time. The server draws them; the script puts a chart to move about in over the drawing, and a table has every number.
import { raw } from "hono/html";
import { DataTable } from "./data-table.tsx";
import { ShownNumber } from "./shown-number.tsx";
import { ShownTime } from "./shown-time.tsx";

export interface ChartPoint {
  /** Unix seconds. */
  time: number;
  /** Exact decimal; undefined where it is not known: the line has a gap. */
  value: string | undefined;
}

interface ChartLine {
  label: string;
  points: readonly ChartPoint[];
}

interface LineChartProps {
  title: string;
  /** Put before each number, e.g. `$`. */
  prefix?: string;
  suffix?: string;
  /** All over the same times, ascending. */
  lines: readonly ChartLine[];
  /** In words, where there is nothing to draw. */
  empty: string;
  /** The id of the {@link MadeBy} whose queries give the numbers. */
  made?: string | undefined;
}

const WIDTH = 640;
const HEIGHT = 160;

interface Frame {
  times: readonly [number, number];
  values: readonly [number, number];
}

function frameOf(lines: readonly ChartLine[]): Frame {
  const points = lines.flatMap((line) => line.points);
  const times = points.map(({ time }) => time);
  const values = points.flatMap(({ value }) => (value === undefined ? [] : Number(value)));
  return {
    times: [Math.min(...times), Math.max(...times)],
    values: [Math.min(0, ...values), Math.max(...values)],
  };
}

const along = (value: number, [least, most]: readonly [number, number], length: number): number =>
  most === least ? length / 2 : ((value - least) / (most - least)) * length;

/** A path with a new beginning after each gap. */
function pathOf(points: readonly ChartPoint[], { times, values }: Frame): string {
  const places = points.map(({ time, value }) =>
    value === undefined
      ? undefined
      : `${along(time, times, WIDTH).toFixed(1)} ${(HEIGHT - along(Number(value), values, HEIGHT)).toFixed(1)}`,
  );
  return places
    .map((place, i) => (place === undefined ? "" : `${i === 0 || places[i - 1] === undefined ? "M" : "L"}${place}`))
    .join("");
}

/** Text inside `script` ends at `</`, also inside a JSON string. */
const embedded = (value: unknown): string => JSON.stringify(value).replaceAll("<", "\\u003c");

export function LineChart({ title, prefix = "", suffix = "", lines, empty, made }: LineChartProps) {
  const hasValues = lines.some(({ points }) => points.some(({ value }) => value !== undefined));
  if (!hasValues)
    return (
      <figure class="chart">
        <figcaption>{title}</figcaption>
        <p class="empty">{empty}</p>
      </figure>
    );
  const [first] = lines;
  const times = first?.points.map(({ time }) => time) ?? [];
  const data = [
    times,
    ...lines.map(({ points }) => points.map(({ value }) => (value === undefined ? null : Number(value)))),
  ];
  return (
    <figure class="chart" data-chart>
      <figcaption>{title}</figcaption>
      <Drawing lines={lines} />
      <script type="application/json">
        {raw(embedded({ data, labels: lines.map(({ label }) => label), prefix, suffix }))}
      </script>
      <details>
        <summary>The numbers of this chart</summary>
        <DataTable
          caption={title}
          columns={[{ head: "Time" }, ...lines.map(({ label }) => ({ head: label, isNumber: true }))]}
          rows={times.map((time, i) => [
            <ShownTime seconds={time} />,
            ...lines.map(({ points }) => {
              const value = points[i]?.value;
              return value === undefined ? (
                "–"
              ) : (
                <ShownNumber exact={value} prefix={prefix} suffix={suffix} made={made} />
              );
            }),
          ])}
          empty={empty}
        />
      </details>
    </figure>
  );
}

function Drawing({ lines }: Pick<LineChartProps, "lines">) {
  const frame = frameOf(lines);
  return (
    <svg class="drawing" viewBox={`0 -4 ${WIDTH} ${HEIGHT + 8}`} preserveAspectRatio="none" aria-hidden="true">
      <path class="axis" d={`M0 ${HEIGHT}H${WIDTH}`} />
      {lines.map(({ points }, i) => (
        <path class={`line line-${i}`} d={pathOf(points, frame)} />
      ))}
    </svg>
  );
}
