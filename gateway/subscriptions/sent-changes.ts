// Wallets and pools about which something was sent with the newest blocks: when such a block is replaced, subscribers hear about
// them again.
import type { Address } from "../parameters.ts";
import type { HeadMove } from "./head-move.ts";
import type { Sent } from "./messages.ts";
import { MOST_REMEMBERED } from "./sent-blocks.ts";
import type { Wallet } from "./watched-changes.ts";

interface OfBlock {
  number: number;
  wallets: Map<string, Wallet>;
  pools: Set<Address>;
}

export class SentChanges {
  #blocks: OfBlock[] = [];

  walletsAbove(number: number): Wallet[] {
    return this.#above(number).flatMap(({ wallets }) => [...wallets.values()]);
  }

  /** What was sent with the blocks that `move` replaces. */
  replacedBy({ fresh, replaced }: HeadMove): Sent {
    const first = fresh[0]?.number;
    const gone = first === undefined || replaced.length === 0 ? [] : this.#above(first - 1);
    return {
      wallets: new Set(gone.flatMap(({ wallets }) => [...wallets.keys()])),
      pools: new Set(gone.flatMap(({ pools }) => [...pools])),
    };
  }

  /** Remembers what `move` brings; a correction is remembered, too: its block may be replaced in turn. */
  take(move: HeadMove): void {
    const first = move.fresh[0]?.number;
    if (first === undefined) return;
    const corrected = move.replaced.length === 0 ? [] : this.#above(first - 1);
    const added = move.fresh.map(({ number }): OfBlock => ({ number, wallets: new Map(), pools: new Set() }));
    const byNumber = new Map(added.map((one) => [one.number, one]));
    for (const [key, deltas] of move.deltas)
      for (const { block, token, account } of deltas) byNumber.get(block)?.wallets.set(key, { token, account });
    for (const events of move.poolEvents.values())
      for (const { block, pool } of events) byNumber.get(block)?.pools.add(pool);
    for (const { wallets, pools } of corrected) {
      for (const [key, wallet] of wallets) added[0]?.wallets.set(key, wallet);
      for (const pool of pools) added[0]?.pools.add(pool);
    }
    this.#blocks = [...this.#blocks.filter(({ number }) => number < first), ...added].slice(-MOST_REMEMBERED);
  }

  #above(number: number): OfBlock[] {
    return this.#blocks.filter((block) => block.number > number);
  }
}
