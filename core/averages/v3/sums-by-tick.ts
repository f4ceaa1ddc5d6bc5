// Sums over the blocks so far, by where the pool's tick was: as Uniswap itself records fees as growth outside of ticks, but for
// several numbers at once. A Fenwick tree, as the price may have crossed any number of ticks between two blocks.
import { firstAbove } from "../../math/tick-bitmap.ts";

/** Sums of `width` numbers, each of which can be read for "while the tick was below boundary i". */
export class SumsByTick {
  /** Sorted, distinct. */
  readonly boundaries: readonly number[];
  readonly #trees: bigint[][];
  readonly #totals: bigint[];
  /** What was added at place `#place` since the tick came there, in no tree yet. */
  readonly #pending: bigint[];
  #place = 0;

  constructor(boundaries: readonly number[], width: number) {
    this.boundaries = boundaries;
    const zeros = (length: number) => new Array<bigint>(length).fill(0n);
    this.#trees = Array.from({ length: width }, () => zeros(boundaries.length + 2));
    this.#totals = zeros(width);
    this.#pending = zeros(width);
  }

  /** From now on the pool's tick is this. */
  moveTo(tick: number): void {
    // the tick is below boundary i where this is at most i
    const place = firstAbove(this.boundaries, tick);
    if (place === this.#place) return;
    for (let which = 0; which < this.#trees.length; which++) {
      const amount = this.#pending[which] as bigint;
      if (amount === 0n) continue;
      const tree = this.#trees[which] as bigint[];
      for (let node = this.#place + 1; node < tree.length; node += node & -node)
        tree[node] = (tree[node] as bigint) + amount;
      this.#pending[which] = 0n;
    }
    this.#place = place;
  }

  /** Adds to the sum number `which`, at the tick moved to last. */
  add(which: number, amount: bigint): void {
    this.#pending[which] = (this.#pending[which] as bigint) + amount;
    this.#totals[which] = (this.#totals[which] as bigint) + amount;
  }

  /** Wherever the tick was. */
  total(which: number): bigint {
    return this.#totals[which] as bigint;
  }

  /** While the tick was below boundary number `boundary`. */
  below(which: number, boundary: number): bigint {
    const tree = this.#trees[which] as bigint[];
    let sum = this.#place <= boundary ? (this.#pending[which] as bigint) : 0n;
    for (let node = boundary + 1; node > 0; node -= node & -node) sum += tree[node] as bigint;
    return sum;
  }
}

/** The ticks at which these ranges begin and end: sorted, distinct. */
export function boundariesOf(ranges: readonly { tickLower: number; tickUpper: number }[]): number[] {
  const distinct = new Set<number>();
  for (const { tickLower, tickUpper } of ranges) distinct.add(tickLower).add(tickUpper);
  return [...distinct].sort((a, b) => a - b);
}
