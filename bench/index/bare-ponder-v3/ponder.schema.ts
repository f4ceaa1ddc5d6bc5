// Pools, their history and the liquidity at their ticks, as narrow as Ponder allows and with no index besides the primary
// keys. The history's key is the one that finds a pool's state at a block.
import { onchainTable, primaryKey } from "ponder";

export const pool = onchainTable("pool", (t) => ({
  address: t.hex().primaryKey(),
  price: t.bigint().notNull(),
  tick: t.integer().notNull(),
  liquidity: t.bigint().notNull(),
}));

export const history = onchainTable(
  "history",
  (t) => ({
    pool: t.hex().notNull(),
    block: t.integer().notNull(),
    logIndex: t.integer().notNull(),
    price: t.bigint().notNull(),
    tick: t.integer().notNull(),
    liquidity: t.bigint().notNull(),
  }),
  (table) => ({ pk: primaryKey({ columns: [table.pool, table.block, table.logIndex] }) }),
);

export const tick = onchainTable(
  "tick",
  (t) => ({ pool: t.hex().notNull(), tick: t.integer().notNull(), net: t.bigint().notNull() }),
  (table) => ({ pk: primaryKey({ columns: [table.pool, table.tick] }) }),
);
