// How chain time passes between the scenario's blocks: bursts, ordinary hours and quiet nights, some 44 days in all.
import type { Random } from "./random.ts";

/** One block each, plus the blocks that deployment and a few acts seal for themselves. */
export const STEPS = 1_600;

/** The last steps lie close together, so that what is opened in them is minutes old when the scenario ends. */
const FINALE = 60;

/** Seconds between the block before a step and the step's own. */
export function gapBefore(step: number, random: Random): number {
  if (step >= STEPS - FINALE) return random.between(8, 25);
  const kind = random.next();
  if (kind < 0.35) return 2;
  if (kind < 0.55) return random.between(3, 60);
  if (kind < 0.85) return random.between(60, 3_600);
  return random.between(3_600, 24_000);
}
