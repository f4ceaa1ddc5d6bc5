// Requests at the times when they are due, whether or not the ones before have been answered: what has to wait counts as
// waiting, on either side.
import { setTimeout as sleep } from "node:timers/promises";

export interface Pace {
  /** Requests per second on average; they come at random, independent of each other. */
  rate: number;
  seconds: number;
  random: () => number;
  stopping: AbortSignal;
}

/** Longest rest between two looks at the clock. */
const POLL_MS = 2;

/**
 * Calls `begin` with each due time (by `performance.now()`), at that time or as soon after it as this process can.
 * Resolves when the last one is begun.
 */
export async function beginAtRate(
  { rate, seconds, random, stopping }: Pace,
  begin: (dueAt: number) => void,
): Promise<void> {
  const started = performance.now();
  const until = started + seconds * 1000;
  const gap = () => (-Math.log(1 - random()) * 1000) / rate;
  for (let dueAt = started + gap(); dueAt < until && !stopping.aborted; ) {
    const now = performance.now();
    for (; dueAt <= now && dueAt < until; dueAt += gap()) begin(dueAt);
    await sleep(Math.min(POLL_MS, Math.max(0, dueAt - performance.now())));
  }
}
