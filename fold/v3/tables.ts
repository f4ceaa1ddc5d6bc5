// DDL of the as-of tables of Uniswap v3: the contracts' storage by the end of every block in which it changed.

const slot = `sqrt_price_x96 numeric not null, tick int4 not null, liquidity numeric not null,
  fee_growth_global0_x128 numeric not null, fee_growth_global1_x128 numeric not null,
  protocol_fees0 numeric not null, protocol_fees1 numeric not null, fee_protocol0 int4 not null, fee_protocol1 int4 not null`;
const tick = `liquidity_gross numeric not null, liquidity_net numeric not null,
  fee_growth_outside0_x128 numeric not null, fee_growth_outside1_x128 numeric not null`;
const claim = `liquidity numeric not null,
  fee_growth_inside0_last_x128 numeric not null, fee_growth_inside1_last_x128 numeric not null,
  tokens_owed0 numeric not null, tokens_owed1 numeric not null`;
const tokenId = `pool int4 not null, owner bytea not null, tick_lower int4 not null, tick_upper int4 not null, ${claim}`;

const since = "since int4 not null";
const interval = "from_block int4 not null, to_block int4 not null, lvl int2 not null";

/** What a position or token id must have to be worth anything; also the predicate of the partial indexes. */
export const IS_LIVE = "(liquidity > 0 or tokens_owed0 > 0 or tokens_owed1 > 0)";

/** The v3 tables that grow with the facts, and so want vacuuming. */
export const v3HistoryTables = [
  "v3_pool_current",
  "v3_pool_interval",
  "v3_tick_current",
  "v3_tick_interval",
  "v3_position_current",
  "v3_position_interval",
  "v3_nft_current",
  "v3_nft_interval",
] as const;

/**
 * `s` is the fold's quoted schema. `_interval` rows held by the end of `from_block` up to and including `to_block - 1`,
 * `_current` rows since the end of `since`. `v3_pool` numbers pools in the order of their creation.
 * - `initial_fee_protocol0/1`: null until a kodiak pool is initialised.
 * - `stopped_*`: the fact at which replay and events parted; the pool's rows end before it.
 * - `v3_pool_fee`: the protocol fee of kodiak pools right after `initialize`, in the block named (also above the
 *   watermark); `source` is `slot0` or `event` where the chain said so, `chain-file` where the node has lost that state.
 * - `v3_position_*` keep zero positions, as the contract does; ended ticks and burnt token ids have no current row.
 */
export const v3TablesDdl = (s: string): string => `
create table ${s}.v3_pool (
  id int4 primary key, address bytea not null unique, factory bytea not null, token0 bytea not null, token1 bytea not null,
  fee int4 not null, tick_spacing int4 not null, flavour text not null, manager bytea not null,
  created_block int4 not null, created_log int4 not null,
  initial_fee_protocol0 int4, initial_fee_protocol1 int4,
  stopped_block int4, stopped_log int4, stopped_field text, stopped_expected text, stopped_replayed text);
create index on ${s}.v3_pool (token0);
create index on ${s}.v3_pool (token1);
create table ${s}.v3_pool_fee (
  address bytea primary key, fee_protocol0 int4 not null, fee_protocol1 int4 not null,
  read_at_block int4 not null, block_hash text not null, source text not null);
create table ${s}.v3_pool_fee_retry (
  address bytea primary key, attempts int4 not null, last_error text not null, next_try timestamptz not null);
create table ${s}.v3_pool_current (pool int4 primary key, ${since}, ${slot}) with (fillfactor = 50);
create table ${s}.v3_pool_interval (pool int4 not null, ${interval}, ${slot});
create table ${s}.v3_tick_current (
  pool int4 not null, tick int4 not null, ${since}, ${tick}, primary key (pool, tick)) with (fillfactor = 70);
create table ${s}.v3_tick_interval (pool int4 not null, tick int4 not null, ${interval}, ${tick});
create table ${s}.v3_position_current (
  pool int4 not null, owner bytea not null, tick_lower int4 not null, tick_upper int4 not null, ${since}, ${claim},
  primary key (pool, owner, tick_lower, tick_upper));
create table ${s}.v3_position_interval (
  pool int4 not null, owner bytea not null, tick_lower int4 not null, tick_upper int4 not null, ${interval}, ${claim});
create table ${s}.v3_nft_current (
  manager bytea not null, token_id numeric not null, ${since}, ${tokenId}, primary key (manager, token_id));
create table ${s}.v3_nft_interval (manager bytea not null, token_id numeric not null, ${interval}, ${tokenId});
${v3HistoryTables
  .map((table) =>
    table.endsWith("_interval")
      ? `alter table ${s}.${table} set (autovacuum_vacuum_insert_scale_factor = 0.02,
           autovacuum_vacuum_insert_threshold = 20000, autovacuum_analyze_scale_factor = 0.05);`
      : `alter table ${s}.${table} set (autovacuum_vacuum_scale_factor = 0.02,
           autovacuum_vacuum_threshold = 5000, autovacuum_analyze_scale_factor = 0.05);`,
  )
  .join("\n")}
`;

/**
 * Built after the first bulk load. By key for one entity; by pool and duration class for all of a pool at one block,
 * where positions and token ids worth nothing are left out (see {@link IS_LIVE}); by owner.
 */
export const v3IndexesDdl = (s: string): string => `
create unique index if not exists v3_pool_interval_by_pool on ${s}.v3_pool_interval (pool, to_block);
create unique index if not exists v3_tick_interval_by_tick on ${s}.v3_tick_interval (pool, tick, to_block);
create index if not exists v3_tick_interval_by_class on ${s}.v3_tick_interval (pool, lvl, from_block, to_block);
create unique index if not exists v3_position_interval_by_key on ${s}.v3_position_interval
  (pool, owner, tick_lower, tick_upper, to_block);
create index if not exists v3_position_interval_by_class on ${s}.v3_position_interval (pool, lvl, from_block, to_block)
  where ${IS_LIVE};
create index if not exists v3_position_interval_by_owner on ${s}.v3_position_interval (owner, to_block);
create index if not exists v3_position_current_by_pool on ${s}.v3_position_current (pool, since) where ${IS_LIVE};
create index if not exists v3_position_current_by_owner on ${s}.v3_position_current (owner);
create unique index if not exists v3_nft_interval_by_token_id on ${s}.v3_nft_interval (manager, token_id, to_block);
create index if not exists v3_nft_interval_by_class on ${s}.v3_nft_interval (pool, lvl, from_block, to_block) where ${IS_LIVE};
create index if not exists v3_nft_interval_by_owner on ${s}.v3_nft_interval (owner, to_block);
create index if not exists v3_nft_current_by_pool on ${s}.v3_nft_current (pool, since) where ${IS_LIVE};
create index if not exists v3_nft_current_by_owner on ${s}.v3_nft_current (owner);
`;
