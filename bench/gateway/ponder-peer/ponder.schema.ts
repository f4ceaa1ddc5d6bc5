// As a Ponder project would have them: every question of the benchmark has its index, every nested field its relation.
import { index, onchainTable, primaryKey, relations } from "ponder";

export const token = onchainTable("token", (t) => ({
  address: t.hex().primaryKey(),
  symbol: t.text(),
  decimals: t.integer(),
}));

export const pool = onchainTable("pool", (t) => ({
  address: t.hex().primaryKey(),
  token0: t.hex().notNull(),
  token1: t.hex().notNull(),
  fee: t.integer().notNull(),
  createdLog: t.integer().notNull(),
}));

export const swap = onchainTable(
  "swap",
  (t) => ({
    block: t.integer().notNull(),
    logIndex: t.integer().notNull(),
    pool: t.hex().notNull(),
    amount0: t.bigint().notNull(),
    amount1: t.bigint().notNull(),
  }),
  (table) => ({
    pk: primaryKey({ columns: [table.block, table.logIndex] }),
    byPool: index().on(table.pool, table.block, table.logIndex),
  }),
);

export const balance = onchainTable(
  "balance",
  (t) => ({
    token: t.hex().notNull(),
    account: t.hex().notNull(),
    amount: t.bigint().notNull(),
  }),
  (table) => ({
    pk: primaryKey({ columns: [table.token, table.account] }),
    byAmount: index().on(table.token, table.amount.desc(), table.account),
  }),
);

export const poolRelations = relations(pool, ({ one, many }) => ({
  token0Detail: one(token, { fields: [pool.token0], references: [token.address] }),
  token1Detail: one(token, { fields: [pool.token1], references: [token.address] }),
  swaps: many(swap),
}));

export const swapRelations = relations(swap, ({ one }) => ({
  poolDetail: one(pool, { fields: [swap.pool], references: [pool.address] }),
}));
