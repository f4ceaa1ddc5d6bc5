// What every fault of a storm is given, and the blocks that come meanwhile.
import { setTimeout as sleep } from "node:timers/promises";
import type { Stack } from "./stack.ts";

export interface Weather {
  stack: Stack;
  /** Whole numbers from `low` to `high`. */
  between(low: number, high: number): number;
  /** How many blocks come while the node lies, at most. */
  longestLie: number;
  /** The gateway is being killed: readers may find nobody there until it answers again. */
  gatewayGoesDown(): void;
  /** Its connections to the database end, until the returned function is called. */
  gatewayLosesDatabase(): () => void;
  /** What a fault did, to be counted. */
  note(line: string): void;
  /** Something that must not be. */
  wrong(line: string): void;
}

/** A block comes every so often while nothing else happens to the chain. */
const LONGEST_PAUSE_MS = 400;

/** `count` blocks, with rests. */
export async function mineBlocks({ stack, between }: Weather, count: number): Promise<void> {
  for (let block = 0; block < count; block++) {
    await stack.chain.mine(between(3, 40));
    await sleep(between(0, LONGEST_PAUSE_MS));
  }
}
