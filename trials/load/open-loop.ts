// Sends requests at the times when they are due, whether or not earlier ones have been answered, so waiting counts as time,
// whether here or in the product.
import { setTimeout as sleep } from "node:timers/promises";

export interface Pace {
  /** Requests per second on average; they come at random, independent of each other. */
  rate: number;
  seconds: number;
  random: () => number;
  stopping: AbortSignal;
}

/** Longest pause between two readings of the clock. */
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
