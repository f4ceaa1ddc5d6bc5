// What is printed about a run.
import { type MemorySample, minuteMeans, slopePerMinute } from "./memory.ts";
import type { Question } from "./mix.ts";
import type { LoadResult } from "./run-load.ts";
import type { Figures } from "./tally.ts";

/** Limits for a rate to count as borne. */
export const LONGEST_P99_MS = 250;
export const STEEPEST_MB_PER_MINUTE = 1;

const ms = (value: number): string => (value < 10 ? value.toFixed(1) : value.toFixed(0)).padStart(7);

const line = (figures: Figures, percent: string): string => {
  const errors = [...figures.errors].sort().map(([outcome, count]) => `${outcome}: ${count}`);
  const { p50, p95, p99, max } = figures;
  const times = [p50, p95, p99, max].map(ms).join("");
  return `${figures.name.padEnd(32)}${percent.padStart(5)}${String(figures.requests).padStart(9)}${times}  ${errors.join(", ")}`;
};

/** The table of one run; times in milliseconds. */
export function printResult(
  { tally, answeredPerSecond, mostUnderWay }: LoadResult,
  questions: readonly Question[],
): void {
  console.log(
    `\n${"question".padEnd(32)}${"%".padStart(5)}${"requests".padStart(9)}${["p50", "p95", "p99", "max"].map((name) => name.padStart(7)).join("")}  answers other than 200`,
  );
  for (const { name, percent } of questions) console.log(line(tally.of(name), percent.toFixed(0)));
  console.log(line(tally.all("all"), "100"));
  for (const [kind, sample] of tally.samples) console.log(`  ${kind}: ${sample}`);
  console.log(
    `${answeredPerSecond.toFixed(1)} answers per second; at most ${mostUnderWay} requests under way at a time`,
  );
}

export function printMemory(samples: readonly MemorySample[]): void {
  const means = minuteMeans(samples).map((mean) => mean.toFixed(0));
  const slope = slopePerMinute(samples);
  console.log(`resident memory of the gateway, mean of each minute, MB: ${means.join(" ")}`);
  console.log(
    slope === undefined
      ? "too short a run, or no process_resident_memory_bytes in /metrics: no slope of it"
      : `slope over the last 80 % of the time: ${slope.toFixed(2)} MB per minute`,
  );
}

export const isBorne = ({ p99, failures }: Figures): boolean => p99 < LONGEST_P99_MS && failures === 0;

/** The limits that are broken, a line for each. */
export function verdicts(all: Figures, samples: readonly MemorySample[]): string[] {
  const slope = slopePerMinute(samples);
  return [
    ...(all.failures > 0 ? [`${all.failures} requests failed`] : []),
    ...(all.p99 >= LONGEST_P99_MS ? [`p99 is ${all.p99.toFixed(0)} ms, not below ${LONGEST_P99_MS} ms`] : []),
    ...(slope !== undefined && slope >= STEEPEST_MB_PER_MINUTE
      ? [`memory grows by ${slope.toFixed(2)} MB per minute, not less than ${STEEPEST_MB_PER_MINUTE}`]
      : []),
  ];
}
