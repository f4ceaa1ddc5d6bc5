// The clock that the product's processes see. Linux has one clock for all processes, which must not be set here: each process
// imitates another one (shifted-clock.ts). PostgreSQL and the node keep the true one.
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface TrialClock {
  /** How to start processes that see this clock: arguments for Node, and environment. */
  arguments: readonly string[];
  env: Record<string, string>;
  /** Makes the clock wrong by this much, in a moment; 0: right. */
  setOff(ms: number): void;
}

export function createTrialClock(folder: string): TrialClock {
  const file = join(folder, "clock");
  const setOff = (ms: number) => {
    writeFileSync(`${file}.new`, String(ms));
    renameSync(`${file}.new`, file);
  };
  setOff(0);
  const module = new URL("shifted-clock.ts", import.meta.url).href;
  return { arguments: [`--import=${module}`], env: { TRIAL_CLOCK_FILE: file }, setOff };
}
