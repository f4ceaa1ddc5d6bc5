// What an amount was at the end of each block of a range, in memory: read so often that a read must not allocate anything.
import type { Steps } from "../../core/averages/steps.ts";
import type { BlockSpan } from "../../core/block-span.ts";
import type { Stretch } from "../history/account-steps.ts";

export class AmountSeries {
  readonly #blocks: readonly number[];
  readonly #amounts: readonly bigint[];
  /** The block after the range. */
  readonly #end: number;
  /** Where the last read found its block: the next read mostly finds its block there, or one further. */
  #place = 0;

  /** `blocks` ascend and begin with the range; each amount holds until the next one's block. */
  constructor(blocks: readonly number[], amounts: readonly bigint[], end: number) {
    this.#blocks = blocks;
    this.#amounts = amounts;
    this.#end = end;
  }

  /** Of stretches of one thing, which do not overlap, in any order; nothing is held in between. */
  static ofStretches(stretches: readonly Stretch[], { from, to }: BlockSpan): AmountSeries {
    const blocks = [from];
    const amounts = [0n];
    const set = (block: number, amount: bigint) => {
      const last = blocks.length - 1;
      if (block <= (blocks[last] as number)) amounts[last] = amount;
      else if (amount !== amounts[last]) {
        blocks.push(block);
        amounts.push(amount);
      }
    };
    for (const { since, until, amount } of [...stretches].sort((a, b) => a.since - b.since)) {
      if (until <= from || since > to) continue;
      set(since, amount);
      if (until <= to) set(until, 0n);
    }
    return new AmountSeries(blocks, amounts, to + 1);
  }

  /** Of what came and went in some blocks, in their order; what there was at the beginning came with the first block. */
  static ofChanges(changes: readonly { block: number; delta: bigint }[], { from, to }: BlockSpan): AmountSeries {
    const blocks = [from];
    const amounts = [0n];
    let amount = 0n;
    for (const { block, delta } of changes) {
      if (block > to) break;
      amount += delta;
      if (block <= from) amounts[0] = amount;
      else {
        blocks.push(block);
        amounts.push(amount);
      }
    }
    return new AmountSeries(blocks, amounts, to + 1);
  }

  at(block: number): bigint {
    return this.#amounts[this.#find(block)] as bigint;
  }

  /** The first block after `block` at which the amount is another; the one after the range where there is none. */
  nextAfter(block: number): number {
    return this.#blocks[this.#find(block) + 1] ?? this.#end;
  }

  get isEverHeld(): boolean {
    return this.#amounts.some((amount) => amount > 0n);
  }

  get steps(): Steps<bigint> {
    return this.#blocks.map((from, i) => ({ from, value: this.#amounts[i] as bigint }));
  }

  #find(block: number): number {
    const blocks = this.#blocks;
    let low = this.#place;
    if ((blocks[low] as number) <= block) {
      if (block < (blocks[low + 1] ?? this.#end)) return low;
      if (block < (blocks[low + 2] ?? this.#end)) {
        this.#place = Math.min(low + 1, blocks.length - 1);
        return this.#place;
      }
    } else low = 0;
    let high = blocks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((blocks[middle] as number) <= block) low = middle;
      else high = middle - 1;
    }
    this.#place = low;
    return low;
  }
}
