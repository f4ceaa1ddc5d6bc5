// Facts: every event once, append-only, keyed by block and log index. Nothing here is derived.
// Amounts are raw token units. The order of the tables is the order in which they are locked: core/fact-tables.ts.
import { type BuildExtraConfigColumns, onchainTable, type PgColumnsBuilders, primaryKey } from "ponder";

/** The columns every event has: where its log is, and when. */
const place = (t: PgColumnsBuilders) => ({
  block: t.integer().notNull(),
  logIndex: t.integer().notNull(),
  txIndex: t.integer().notNull(),
  timestamp: t.integer().notNull(),
});

const byLog = (table: BuildExtraConfigColumns<ReturnType<typeof place>>) => ({
  pk: primaryKey({ columns: [table.block, table.logIndex] }),
});

/** One row per block, empty ones included: its highest number is the head, and it reverts with the other facts. */
export const block = onchainTable("block", (t) => ({
  number: t.integer().primaryKey(),
  hash: t.hex().notNull(),
  timestamp: t.integer().notNull(),
  baseFee: t.bigint(),
}));

/** ERC-20 `Transfer`, chain-wide. */
export const erc20Transfer = onchainTable(
  "erc20_transfer",
  (t) => ({
    ...place(t),
    token: t.hex().notNull(),
    from: t.hex().notNull(),
    to: t.hex().notNull(),
    amount: t.bigint().notNull(),
  }),
  byLog,
);

/** `Deposit` of a weth9-flavoured wrapped native: mints `amount` to `account`. No Transfer accompanies it. */
export const weth9Deposit = onchainTable(
  "weth9_deposit",
  (t) => ({ ...place(t), token: t.hex().notNull(), account: t.hex().notNull(), amount: t.bigint().notNull() }),
  byLog,
);

/** `Withdrawal` of a weth9-flavoured wrapped native: burns `amount` from `account`. */
export const weth9Withdrawal = onchainTable(
  "weth9_withdrawal",
  (t) => ({ ...place(t), token: t.hex().notNull(), account: t.hex().notNull(), amount: t.bigint().notNull() }),
  byLog,
);

/** A v3 pool as its factory announces it. */
export const v3PoolCreated = onchainTable(
  "v3_pool_created",
  (t) => ({
    ...place(t),
    factory: t.hex().notNull(),
    pool: t.hex().notNull(),
    token0: t.hex().notNull(),
    token1: t.hex().notNull(),
    fee: t.integer().notNull(),
    tickSpacing: t.integer().notNull(),
  }),
  byLog,
);

/** A fee tier that a v3 factory allows from here on. */
export const v3FeeAmountEnabled = onchainTable(
  "v3_fee_amount_enabled",
  (t) => ({
    ...place(t),
    factory: t.hex().notNull(),
    fee: t.integer().notNull(),
    tickSpacing: t.integer().notNull(),
  }),
  byLog,
);

/** A v3 pool's first price. (Ponder makes `sqrt_price_x_96` of the camel-case name.) */
export const v3Initialize = onchainTable(
  "v3_initialize",
  (t) => ({
    ...place(t),
    pool: t.hex().notNull(),
    sqrt_price_x96: t.bigint().notNull(),
    tick: t.integer().notNull(),
  }),
  byLog,
);

/** Amounts are the pool's changes: positive came in. Price, liquidity and tick are those after the swap. */
export const v3Swap = onchainTable(
  "v3_swap",
  (t) => ({
    ...place(t),
    pool: t.hex().notNull(),
    sender: t.hex().notNull(),
    recipient: t.hex().notNull(),
    amount0: t.bigint().notNull(),
    amount1: t.bigint().notNull(),
    sqrt_price_x96: t.bigint().notNull(),
    liquidity: t.bigint().notNull(),
    tick: t.integer().notNull(),
  }),
  byLog,
);

/** `mint`, `burn`, `collect` of a position in a pool. `sender` is of mints, `recipient` of collects, which move no liquidity. */
export const v3Liquidity = onchainTable(
  "v3_liquidity",
  (t) => ({
    ...place(t),
    pool: t.hex().notNull(),
    kind: t.text().notNull(),
    sender: t.hex(),
    owner: t.hex().notNull(),
    recipient: t.hex(),
    tickLower: t.integer().notNull(),
    tickUpper: t.integer().notNull(),
    liquidity: t.bigint().notNull(),
    amount0: t.bigint().notNull(),
    amount1: t.bigint().notNull(),
  }),
  byLog,
);

/** `paid0`, `paid1`: what came back beyond the loan. */
export const v3Flash = onchainTable(
  "v3_flash",
  (t) => ({
    ...place(t),
    pool: t.hex().notNull(),
    sender: t.hex().notNull(),
    recipient: t.hex().notNull(),
    amount0: t.bigint().notNull(),
    amount1: t.bigint().notNull(),
    paid0: t.bigint().notNull(),
    paid1: t.bigint().notNull(),
  }),
  byLog,
);

/** `set` of either flavour, `collect`, and `earned`, which only the kodiak flavour logs, just before its `Swap`. */
export const v3ProtocolFee = onchainTable(
  "v3_protocol_fee",
  (t) => ({
    ...place(t),
    pool: t.hex().notNull(),
    kind: t.text().notNull(),
    feeProtocol0Old: t.integer(),
    feeProtocol1Old: t.integer(),
    feeProtocol0New: t.integer(),
    feeProtocol1New: t.integer(),
    sender: t.hex(),
    recipient: t.hex(),
    amount0: t.bigint(),
    amount1: t.bigint(),
  }),
  byLog,
);

/** A position manager's `transfer`, `increase`, `decrease`, `collect` of a token id. */
export const v3Nft = onchainTable(
  "v3_nft",
  (t) => ({
    ...place(t),
    manager: t.hex().notNull(),
    tokenId: t.bigint().notNull(),
    kind: t.text().notNull(),
    from: t.hex(),
    to: t.hex(),
    recipient: t.hex(),
    liquidity: t.bigint(),
    amount0: t.bigint(),
    amount1: t.bigint(),
  }),
  byLog,
);
