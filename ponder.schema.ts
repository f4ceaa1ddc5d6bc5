// Facts: every event once, append-only, keyed by block and log index. Nothing here is derived.
import { onchainTable, primaryKey } from "ponder";

/** One row per block, empty ones included: its highest number is the head, and it reverts with the other facts. */
export const block = onchainTable("block", (t) => ({
  number: t.integer().primaryKey(),
  hash: t.hex().notNull(),
  timestamp: t.integer().notNull(),
  baseFee: t.bigint(),
}));

/** ERC-20 `Transfer`, chain-wide. Amounts are raw token units. */
export const erc20Transfer = onchainTable(
  "erc20_transfer",
  (t) => ({
    block: t.integer().notNull(),
    logIndex: t.integer().notNull(),
    txIndex: t.integer().notNull(),
    timestamp: t.integer().notNull(),
    token: t.hex().notNull(),
    from: t.hex().notNull(),
    to: t.hex().notNull(),
    amount: t.bigint().notNull(),
  }),
  (table) => ({ pk: primaryKey({ columns: [table.block, table.logIndex] }) }),
);

/** `Deposit` of a weth9-flavoured wrapped native: mints `amount` to `account`. No Transfer accompanies it. */
export const weth9Deposit = onchainTable(
  "weth9_deposit",
  (t) => ({
    block: t.integer().notNull(),
    logIndex: t.integer().notNull(),
    txIndex: t.integer().notNull(),
    timestamp: t.integer().notNull(),
    token: t.hex().notNull(),
    account: t.hex().notNull(),
    amount: t.bigint().notNull(),
  }),
  (table) => ({ pk: primaryKey({ columns: [table.block, table.logIndex] }) }),
);

/** `Withdrawal` of a weth9-flavoured wrapped native: burns `amount` from `account`. */
export const weth9Withdrawal = onchainTable(
  "weth9_withdrawal",
  (t) => ({
    block: t.integer().notNull(),
    logIndex: t.integer().notNull(),
    txIndex: t.integer().notNull(),
    timestamp: t.integer().notNull(),
    token: t.hex().notNull(),
    account: t.hex().notNull(),
    amount: t.bigint().notNull(),
  }),
  (table) => ({ pk: primaryKey({ columns: [table.block, table.logIndex] }) }),
);
