// What one subscriber wants to hear of a look, in the order in which it is told.
import type { Address } from "../parameters.ts";
import type { SeenBlock } from "./known-blocks.ts";
import type { Look } from "./look.ts";
import { type PoolEvent, walletKey } from "./watched-changes.ts";

export interface BlockNews {
  block: SeenBlock;
  /** Blocks announced before that are no longer part of the chain; this one comes in the place of the first of them. */
  replaced: readonly SeenBlock[];
}

export interface BalanceNews {
  block: SeenBlock;
  account: Address;
  /** Raw units in the wallet at the end of the block. */
  balance: bigint;
  /** Of the block's own transfers. */
  delta: bigint;
  /** A replaced block had told something else of the account. */
  isCorrection: boolean;
}

export interface PoolNews {
  block: SeenBlock;
  pool: Address;
  events: readonly PoolEvent[];
  /** A replaced block had told of events. */
  isCorrection: boolean;
}

/** What was told by blocks that a look replaces. */
export interface Told {
  wallets: ReadonlySet<string>;
  pools: ReadonlySet<string>;
}

export const blockNews = ({ fresh, replaced }: Look): BlockNews[] =>
  fresh.map((block, i) => ({ block, replaced: i === 0 ? replaced : [] }));

export function balanceNews(
  look: Look,
  told: Told,
  { token, accounts }: { token: Address; accounts: readonly Address[] },
): BalanceNews[] {
  return accounts.flatMap((account) => {
    const key = walletKey({ token, account });
    const deltas = new Map(
      look.deltas
        .filter((one) => one.token === token && one.account === account)
        .map(({ block, delta }) => [block, delta]),
    );
    const isTold = told.wallets.has(key);
    if (deltas.size === 0 && !isTold) return [];
    // Backwards from the end of the last block, whose amount is known.
    let balance = look.amounts.get(key) ?? 0n;
    const news: BalanceNews[] = [];
    for (const [i, block] of [...look.fresh.entries()].reverse()) {
      const delta = deltas.get(block.number);
      const isCorrection = i === 0 && isTold;
      if (delta !== undefined || isCorrection)
        news.unshift({ block, account, balance, delta: delta ?? 0n, isCorrection });
      balance -= delta ?? 0n;
    }
    return news;
  });
}

export function poolNews(look: Look, told: Told, pool: Address): PoolNews[] {
  return look.fresh.flatMap((block, i) => {
    const events = look.poolEvents.filter((event) => event.pool === pool && event.block === block.number);
    const isCorrection = i === 0 && told.pools.has(pool);
    return events.length > 0 || isCorrection ? [{ block, pool, events, isCorrection }] : [];
  });
}
