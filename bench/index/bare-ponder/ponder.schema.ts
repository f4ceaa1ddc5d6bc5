// Balances and their history, as narrow as Ponder allows and with no index besides the primary keys. The history's key is
// the one that finds an account's balance at a block.
import { onchainTable, primaryKey } from "ponder";

export const balance = onchainTable(
  "balance",
  (t) => ({ token: t.hex().notNull(), account: t.hex().notNull(), amount: t.bigint().notNull() }),
  (table) => ({ pk: primaryKey({ columns: [table.token, table.account] }) }),
);

export const history = onchainTable(
  "history",
  (t) => ({
    token: t.hex().notNull(),
    account: t.hex().notNull(),
    block: t.integer().notNull(),
    logIndex: t.integer().notNull(),
    balanceAfter: t.bigint().notNull(),
  }),
  (table) => ({ pk: primaryKey({ columns: [table.token, table.account, table.block, table.logIndex] }) }),
);
