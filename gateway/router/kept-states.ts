// Router states of recent questions, the least recently used forgotten first. A block's hash decides its state, so a
// state that a reorg took from the chain is never asked for again.
import type { RouterState } from "./router-state.ts";

/** Pools and ticks of all states together; states of neighbouring blocks share most of theirs, so this is generous. */
const MOST_WEIGHT = 2_000_000;
const MOST_STATES = 64;

interface Kept {
  index: string;
  state: RouterState;
  weight: number;
}

const kept = new Map<string, Kept>();
let weight = 0;

const keyOf = (index: string, { block, hash }: { block: number; hash: string }): string => `${index} ${block} ${hash}`;

/** The state of that very block. */
export function keptState(index: string, at: { block: number; hash: string }): RouterState | undefined {
  const key = keyOf(index, at);
  const found = kept.get(key);
  if (!found) return undefined;
  kept.delete(key);
  kept.set(key, found);
  return found.state;
}

/** States of blocks from `first` to `last`, the highest first; of several with one number all. */
export const keptBetween = (index: string, { first, last }: { first: number; last: number }): RouterState[] =>
  [...kept.values()]
    .filter((one) => one.index === index && one.state.block >= first && one.state.block <= last)
    .map(({ state }) => state)
    .sort((a, b) => b.block - a.block);

/** `base`: the state it was made from, whose pools it shares. */
export function keepState(index: string, state: RouterState, base: RouterState | undefined): void {
  const key = keyOf(index, state);
  weight -= kept.get(key)?.weight ?? 0;
  kept.delete(key);
  const entry = { index, state, weight: weightOf(state, base) };
  kept.set(key, entry);
  weight += entry.weight;
  for (const [oldest, one] of kept) {
    if (kept.size === 1 || (weight <= MOST_WEIGHT && kept.size <= MOST_STATES)) return;
    kept.delete(oldest);
    weight -= one.weight;
  }
}

function weightOf({ pools }: RouterState, base: RouterState | undefined): number {
  let sum = 0;
  for (const [address, placed] of pools) {
    const { pool } = placed;
    const isOwn = base?.pools.get(address) !== placed;
    sum += isOwn && pool.kind === "v3" ? 4 + pool.ticks.length : 1;
  }
  return sum;
}

/** How much is kept now. */
export const keptStates = (): { states: number; weight: number } => ({ states: kept.size, weight });

/** Everything is made anew when it is asked for next. */
export function forgetStates(): void {
  kept.clear();
  weight = 0;
}
