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

type Place = ReturnType<typeof place>;
type Columns = Exclude<Parameters<typeof onchainTable>[1], (...t: never) => unknown>;

const byLog = (table: BuildExtraConfigColumns<Place>) => ({
  pk: primaryKey({ columns: [table.block, table.logIndex] }),
});

/** A table of events: {@link place}, then `columns`, keyed by log. */
function eventTable<const Name extends string, Own extends Columns>(
  name: Parameters<typeof onchainTable<Name, Place & Own>>[0],
  columns: (t: PgColumnsBuilders) => Own,
) {
  return onchainTable<Name, Place & Own, ReturnType<typeof byLog>>(
    name,
    (t) => ({ ...place(t), ...columns(t) }),
    byLog,
  );
}

/** One row per block, empty ones included: its highest number is the head, and it reverts with the other facts. */
export const block = onchainTable("block", (t) => ({
  number: t.integer().primaryKey(),
  hash: t.hex().notNull(),
  timestamp: t.integer().notNull(),
  baseFee: t.bigint(),
}));

/** ERC-20 `Transfer`, chain-wide. */
export const erc20Transfer = eventTable("erc20_transfer", (t) => ({
  token: t.hex().notNull(),
  from: t.hex().notNull(),
  to: t.hex().notNull(),
  amount: t.bigint().notNull(),
}));

/** `Deposit` of a weth9-flavoured wrapped native: mints `amount` to `account`. No Transfer accompanies it. */
export const weth9Deposit = eventTable("weth9_deposit", (t) => ({
  token: t.hex().notNull(),
  account: t.hex().notNull(),
  amount: t.bigint().notNull(),
}));

/** `Withdrawal` of a weth9-flavoured wrapped native: burns `amount` from `account`. */
export const weth9Withdrawal = eventTable("weth9_withdrawal", (t) => ({
  token: t.hex().notNull(),
  account: t.hex().notNull(),
  amount: t.bigint().notNull(),
}));

/** A v3 pool as its factory announces it. */
export const v3PoolCreated = eventTable("v3_pool_created", (t) => ({
  factory: t.hex().notNull(),
  pool: t.hex().notNull(),
  token0: t.hex().notNull(),
  token1: t.hex().notNull(),
  fee: t.integer().notNull(),
  tickSpacing: t.integer().notNull(),
}));

/** A fee tier that a v3 factory allows from here on. */
export const v3FeeAmountEnabled = eventTable("v3_fee_amount_enabled", (t) => ({
  factory: t.hex().notNull(),
  fee: t.integer().notNull(),
  tickSpacing: t.integer().notNull(),
}));

/** A v3 pool's first price. (Ponder makes `sqrt_price_x_96` of the camel-case name.) */
export const v3Initialize = eventTable("v3_initialize", (t) => ({
  pool: t.hex().notNull(),
  sqrt_price_x96: t.bigint().notNull(),
  tick: t.integer().notNull(),
}));

/** Amounts are the pool's changes: positive came in. Price, liquidity and tick are those after the swap. */
export const v3Swap = eventTable("v3_swap", (t) => ({
  pool: t.hex().notNull(),
  sender: t.hex().notNull(),
  recipient: t.hex().notNull(),
  amount0: t.bigint().notNull(),
  amount1: t.bigint().notNull(),
  sqrt_price_x96: t.bigint().notNull(),
  liquidity: t.bigint().notNull(),
  tick: t.integer().notNull(),
}));

/** `mint`, `burn`, `collect` of a position in a pool. `sender` is of mints, `recipient` of collects, which move no liquidity. */
export const v3Liquidity = eventTable("v3_liquidity", (t) => ({
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
}));

/** `paid0`, `paid1`: what came back beyond the loan. */
export const v3Flash = eventTable("v3_flash", (t) => ({
  pool: t.hex().notNull(),
  sender: t.hex().notNull(),
  recipient: t.hex().notNull(),
  amount0: t.bigint().notNull(),
  amount1: t.bigint().notNull(),
  paid0: t.bigint().notNull(),
  paid1: t.bigint().notNull(),
}));

/** `set` of either flavour, `collect`, and `earned`, which only the kodiak flavour logs, just before its `Swap`. */
export const v3ProtocolFee = eventTable("v3_protocol_fee", (t) => ({
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
}));

/** A position manager's `transfer`, `increase`, `decrease`, `collect` of a token id. */
export const v3Nft = eventTable("v3_nft", (t) => ({
  manager: t.hex().notNull(),
  tokenId: t.bigint().notNull(),
  kind: t.text().notNull(),
  from: t.hex(),
  to: t.hex(),
  recipient: t.hex(),
  liquidity: t.bigint(),
  amount0: t.bigint(),
  amount1: t.bigint(),
}));

/** A v2 pair as its factory announces it. `ordinal`: the factory's number of pairs, this one included. */
export const v2PairCreated = eventTable("v2_pair_created", (t) => ({
  factory: t.hex().notNull(),
  pair: t.hex().notNull(),
  token0: t.hex().notNull(),
  token1: t.hex().notNull(),
  ordinal: t.bigint().notNull(),
}));

export const v2Swap = eventTable("v2_swap", (t) => ({
  pair: t.hex().notNull(),
  sender: t.hex().notNull(),
  to: t.hex().notNull(),
  amount0In: t.bigint().notNull(),
  amount1In: t.bigint().notNull(),
  amount0Out: t.bigint().notNull(),
  amount1Out: t.bigint().notNull(),
}));

/** `mint`, `burn` of a v2 pair; `to` is of burns. The shares are in the pair's own Transfers. */
export const v2Liquidity = eventTable("v2_liquidity", (t) => ({
  pair: t.hex().notNull(),
  kind: t.text().notNull(),
  sender: t.hex().notNull(),
  to: t.hex(),
  amount0: t.bigint().notNull(),
  amount1: t.bigint().notNull(),
}));

/** A v2 pair's reserves from here on. */
export const v2Sync = eventTable("v2_sync", (t) => ({
  pair: t.hex().notNull(),
  reserve0: t.bigint().notNull(),
  reserve1: t.bigint().notNull(),
}));

/** An island as its factory announces it. No event tells a managed island's first range and fee. */
export const islandCreated = eventTable("island_created", (t) => ({
  factory: t.hex().notNull(),
  island: t.hex().notNull(),
  pool: t.hex().notNull(),
  manager: t.hex().notNull(),
  implementation: t.hex().notNull(),
}));

/** `mint`, `burn` of an island's shares, and `fees` it took, net of its manager's part. */
export const islandFlow = eventTable("island_flow", (t) => ({
  island: t.hex().notNull(),
  kind: t.text().notNull(),
  receiver: t.hex(),
  shares: t.bigint(),
  amount0: t.bigint().notNull(),
  amount1: t.bigint().notNull(),
  liquidity: t.bigint(),
}));

/** An island's range from here on: a new one, or the same when it only compounds. */
export const islandRebalance = eventTable("island_rebalance", (t) => ({
  island: t.hex().notNull(),
  compounder: t.hex().notNull(),
  tickLower: t.integer().notNull(),
  tickUpper: t.integer().notNull(),
  liquidityBefore: t.bigint().notNull(),
  liquidityAfter: t.bigint().notNull(),
}));

/** `params`: the manager's fee and treasury from here on; `owner`: who the manager is. */
export const islandManager = eventTable("island_manager", (t) => ({
  island: t.hex().notNull(),
  kind: t.text().notNull(),
  feeBps: t.integer(),
  treasury: t.hex(),
  slippageBps: t.integer(),
  slippageInterval: t.integer(),
  previousManager: t.hex(),
  newManager: t.hex(),
}));

/** A `reward-vault`, `farm`, `bault` or `infrared` vault as its factory announces it. */
export const vaultCreated = eventTable("vault_created", (t) => ({
  factory: t.hex().notNull(),
  vault: t.hex().notNull(),
  kind: t.text().notNull(),
  asset: t.hex(),
  implementation: t.hex(),
  creator: t.hex(),
}));

/**
 * `deposit`, `withdraw` of an ERC-4626 vault, and what baults add: `exit_fee`, `compound`; of vaults in which withdrawals wait
 * `withdrawal_requested`, `withdrawal_completed`, `withdrawal_cancelled`.
 */
export const vaultFlow = eventTable("vault_flow", (t) => ({
  vault: t.hex().notNull(),
  kind: t.text().notNull(),
  sender: t.hex(),
  receiver: t.hex(),
  owner: t.hex(),
  assets: t.bigint().notNull(),
  shares: t.bigint(),
  newShares: t.bigint(),
  fee: t.bigint(),
  reward: t.bigint(),
  rewardToken: t.hex(),
}));

/** Stakes, one for one. Only `stake` and `withdraw` move them: `delegate_…` says again, of the log before it, who paid. */
export const stake = eventTable("stake", (t) => ({
  vault: t.hex().notNull(),
  protocol: t.text().notNull(),
  kind: t.text().notNull(),
  account: t.hex().notNull(),
  delegate: t.hex(),
  amount: t.bigint().notNull(),
  lockSeconds: t.bigint(),
  lockId: t.hex(),
}));

/** What stakes earn: `distributed`, `added`, `paid`, `redeemed`, `rate`, `token_added`, `renewed`. */
export const reward = eventTable("reward", (t) => ({
  vault: t.hex().notNull(),
  protocol: t.text().notNull(),
  kind: t.text().notNull(),
  token: t.hex(),
  account: t.hex(),
  receiver: t.hex(),
  amount: t.bigint(),
  validator: t.hex(),
  nextTimestamp: t.bigint(),
}));

/** What a reward vault offers validators and their boosters for emissions. */
export const incentive = eventTable("incentive", (t) => ({
  vault: t.hex().notNull(),
  kind: t.text().notNull(),
  token: t.hex().notNull(),
  account: t.hex(),
  amount: t.bigint(),
  rate: t.bigint(),
  emitted: t.bigint(),
  validator: t.hex(),
}));

/** The life of a launch pool: `initialized` by itself, `deployed` by its factory just after, `graduated`. */
export const launchPool = eventTable("launch_pool", (t) => ({
  pool: t.hex().notNull(),
  kind: t.text().notNull(),
  factory: t.hex(),
  implementation: t.hex(),
  token: t.hex(),
  baseToken: t.hex(),
  sqrtPa: t.bigint(),
  sqrtPb: t.bigint(),
  vestingPeriod: t.bigint(),
  deployer: t.hex(),
  data: t.hex(),
  tokenAmount: t.bigint(),
  baseAmount: t.bigint(),
}));

/** A trade on a launch curve. What came in is gross of fees, what went out net. */
export const launchSwap = eventTable("launch_swap", (t) => ({
  pool: t.hex().notNull(),
  sender: t.hex().notNull(),
  to: t.hex().notNull(),
  tokenIn: t.bigint().notNull(),
  baseIn: t.bigint().notNull(),
  tokenOut: t.bigint().notNull(),
  baseOut: t.bigint().notNull(),
}));

/** A launch curve from here on. */
export const launchSync = eventTable("launch_sync", (t) => ({
  pool: t.hex().notNull(),
  tokenReserve: t.bigint().notNull(),
  baseReserve: t.bigint().notNull(),
  sqrtPrice: t.bigint().notNull(),
}));

/** Every other event of the protocols above, rare ones: settings, pauses, claims. Arguments by name, integers as text. */
export const otherEvent = eventTable("other_event", (t) => ({
  contract: t.hex().notNull(),
  event: t.text().notNull(),
  args: t.jsonb().notNull(),
}));
