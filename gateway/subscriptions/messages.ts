// What one subscriber is sent of a move of the head, in order.
import type { TokenState } from "../history/token-state.ts";
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
  /** As it is known now. */
  token: TokenState;
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
  { token: address, accounts }: { token: Address; accounts: readonly Address[] },
): BalanceMessage[] {
  const token = move.tokens.get(address);
  if (token === undefined || (move.deltas.size === 0 && sent.wallets.size === 0)) return [];
  return accounts.flatMap((account) => {
    const key = walletKey({ token: address, account });
    const changes = move.deltas.get(key) ?? [];
    const wasSent = sent.wallets.has(key);
    if (changes.length === 0 && !wasSent) return [];
    const deltas = new Map(changes.map(({ block, delta }) => [block, delta]));
    // Backwards from the end of the last block, whose amount is known.
    let balance = move.amounts.get(key) ?? 0n;
    const messages: BalanceMessage[] = [];
    for (const [i, block] of [...move.fresh.entries()].reverse()) {
      const delta = deltas.get(block.number);
      const isCorrection = i === 0 && wasSent;
      if (delta !== undefined || isCorrection)
        messages.unshift({ block, token, account, balance, delta: delta ?? 0n, isCorrection });
      balance -= delta ?? 0n;
    }
    return messages;
  });
}

export function poolMessages(move: HeadMove, sent: Sent, pool: Address): PoolMessage[] {
  const ofPool = move.poolEvents.get(pool) ?? [];
  const wasSent = sent.pools.has(pool);
  if (ofPool.length === 0 && !wasSent) return [];
  return move.fresh.flatMap((block, i) => {
    const events = ofPool.filter((event) => event.block === block.number);
    const isCorrection = i === 0 && wasSent;
    return events.length > 0 || isCorrection ? [{ block, pool, events, isCorrection }] : [];
  });
}
