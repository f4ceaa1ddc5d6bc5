// Of which wallets and pools the newest blocks have told: when such a block is replaced, its subscribers hear of them again.
import type { Address } from "../parameters.ts";
import { MOST_REMEMBERED } from "./known-blocks.ts";
import type { Look } from "./look.ts";
import type { Told } from "./subscriber.ts";
import { type Wallet, walletKey } from "./watched-changes.ts";

interface OfBlock {
  number: number;
  wallets: Map<string, Wallet>;
  pools: Set<Address>;
}

export class ToldLately {
  #blocks: OfBlock[] = [];

  walletsAbove(number: number): Wallet[] {
    return this.#above(number).flatMap(({ wallets }) => [...wallets.values()]);
  }

  /** What blocks told that `look` replaces. */
  replacedBy({ fresh, replaced }: Look): Told {
    const first = fresh[0]?.number;
    const gone = first === undefined || replaced.length === 0 ? [] : this.#above(first - 1);
    return {
      wallets: new Set(gone.flatMap(({ wallets }) => [...wallets.keys()])),
      pools: new Set(gone.flatMap(({ pools }) => [...pools])),
    };
  }

  /** Remembers what `look` told; a correction is remembered, too: its block may be replaced in turn. */
  take(look: Look): void {
    const first = look.fresh[0]?.number;
    if (first === undefined) return;
    const corrected = look.replaced.length === 0 ? [] : this.#above(first - 1);
    const added = look.fresh.map(({ number }): OfBlock => {
      const deltas = look.deltas.filter(({ block }) => block === number);
      return {
        number,
        wallets: new Map(deltas.map(({ token, account }) => [walletKey({ token, account }), { token, account }])),
        pools: new Set(look.poolEvents.filter(({ block }) => block === number).map(({ pool }) => pool)),
      };
    });
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
