// What one subscriber is sent of a move of the head, in order.
import type { Address } from "../parameters.ts";
import type { HeadMove } from "./head-move.ts";
import type { SeenBlock } from "./sent-blocks.ts";
import { type PoolEvent, walletKey } from "./watched-changes.ts";

export interface BlockMessage {
  block: SeenBlock;
  /** Blocks announced before that are no longer part of the chain; this one comes in the place of the first of them. */
  replaced: readonly SeenBlock[];
}

export interface BalanceMessage {
  block: SeenBlock;
  account: Address;
  /** Raw units in the wallet at the end of the block. */
  balance: bigint;
  /** Of the block's own transfers. */
  delta: bigint;
  /** Something else about the account was sent with a block that has been replaced. */
  isCorrection: boolean;
}

export interface PoolMessage {
  block: SeenBlock;
  pool: Address;
  events: readonly PoolEvent[];
  /** Events were sent with a block that has been replaced. */
  isCorrection: boolean;
}

/** What was sent with the blocks that a move replaces. */
export interface Sent {
  wallets: ReadonlySet<string>;
  pools: ReadonlySet<string>;
}

export const blockMessages = ({ fresh, replaced }: HeadMove): BlockMessage[] =>
  fresh.map((block, i) => ({ block, replaced: i === 0 ? replaced : [] }));

export function balanceMessages(
  move: HeadMove,
  sent: Sent,
  { token, accounts }: { token: Address; accounts: readonly Address[] },
): BalanceMessage[] {
  return accounts.flatMap((account) => {
    const key = walletKey({ token, account });
    const deltas = new Map(
      move.deltas
        .filter((one) => one.token === token && one.account === account)
        .map(({ block, delta }) => [block, delta]),
    );
    const wasSent = sent.wallets.has(key);
    if (deltas.size === 0 && !wasSent) return [];
    // Backwards from the end of the last block, whose amount is known.
    let balance = move.amounts.get(key) ?? 0n;
    const messages: BalanceMessage[] = [];
    for (const [i, block] of [...move.fresh.entries()].reverse()) {
      const delta = deltas.get(block.number);
      const isCorrection = i === 0 && wasSent;
      if (delta !== undefined || isCorrection)
        messages.unshift({ block, account, balance, delta: delta ?? 0n, isCorrection });
      balance -= delta ?? 0n;
    }
    return messages;
  });
}

export function poolMessages(move: HeadMove, sent: Sent, pool: Address): PoolMessage[] {
  return move.fresh.flatMap((block, i) => {
    const events = move.poolEvents.filter((event) => event.pool === pool && event.block === block.number);
    const isCorrection = i === 0 && sent.pools.has(pool);
    return events.length > 0 || isCorrection ? [{ block, pool, events, isCorrection }] : [];
  });
}
