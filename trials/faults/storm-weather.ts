// What every fault of a storm gets to work with, and the blocks that come meanwhile.
import { setTimeout as sleep } from "node:timers/promises";
import type { Stack } from "./stack.ts";

export interface Weather {
  stack: Stack;
  /** Whole numbers from `low` to `high`. */
  between(low: number, high: number): number;
  /** The most blocks that come while the node lies. */
  longestLie: number;
  /** Call when the gateway is being killed: readers may fail to connect until it answers again. */
  gatewayGoesDown(): void;
  /** Call when the gateway's connections to the database end; that lasts until the returned function is called. */
  gatewayLosesDatabase(): () => void;
  /** Counts what a fault did. */
  note(line: string): void;
  /** Reports something that must not happen. */
  wrong(line: string): void;
}

/** While nothing else happens to the chain, a block comes after random pauses up to this long. */
const LONGEST_PAUSE_MS = 400;

/** Mines `count` blocks, with pauses. */
export async function mineBlocks({ stack, between }: Weather, count: number): Promise<void> {
  for (let block = 0; block < count; block++) {
    await stack.chain.mine(between(3, 40));
    await sleep(between(0, LONGEST_PAUSE_MS));
  }
}
