// The gateway's memory while it works, from its own /metrics.
import { setTimeout as sleep } from "node:timers/promises";

export interface MemorySample {
  seconds: number;
  bytes: number;
}

const EVERY_MS = 5_000;

/** Undefined when the answer does not say. */
export function residentBytes(metrics: string): number | undefined {
  const found = /^(?:\w+_)?process_resident_memory_bytes(?:\{[^}]*\})? (\S+)$/m.exec(metrics);
  return found ? Number(found[1]) : undefined;
}

/** Adds a sample every five seconds until `stopping`. */
export async function watchMemory(
  readMetrics: () => Promise<string>,
  samples: MemorySample[],
  stopping: AbortSignal,
): Promise<void> {
  const started = performance.now();
  while (!stopping.aborted) {
    const bytes = residentBytes(await readMetrics().catch(() => ""));
    if (bytes !== undefined) samples.push({ seconds: (performance.now() - started) / 1000, bytes });
    await sleep(EVERY_MS, undefined, { signal: stopping }).catch(() => {});
  }
}

/** Megabytes per minute: the line through all samples of the last 80 % of the time, by least squares. Undefined for fewer than 3. */
export function slopePerMinute(samples: readonly MemorySample[]): number | undefined {
  const end = samples.at(-1)?.seconds ?? 0;
  const late = samples.filter(({ seconds }) => seconds >= end * 0.2);
  if (late.length < 3) return undefined;
  const mean = (of: (sample: MemorySample) => number) => late.reduce((sum, one) => sum + of(one), 0) / late.length;
  const x = mean(({ seconds }) => seconds);
  const y = mean(({ bytes }) => bytes);
  const up = late.reduce((sum, { seconds, bytes }) => sum + (seconds - x) * (bytes - y), 0);
  const across = late.reduce((sum, { seconds }) => sum + (seconds - x) ** 2, 0);
  return ((up / across) * 60) / 1_000_000;
}

/** Mean of each minute, the last one maybe not full, in megabytes. */
export function minuteMeans(samples: readonly MemorySample[]): number[] {
  const minutes: MemorySample[][] = [];
  for (const sample of samples) {
    const minute = Math.floor(sample.seconds / 60);
    minutes[minute] = [...(minutes[minute] ?? []), sample];
  }
  return minutes
    .filter(Boolean)
    .map((some) => some.reduce((sum, { bytes }) => sum + bytes, 0) / some.length / 1_000_000);
}
