-- Made from the lake's datasets by `node scripts/clickhouse-schema.ts`. A segment is a partition; `segment`: its last block.

create table if not exists block (
  `segment` Int32,
  `number` Int32,
  `hash` String,
  `timestamp` Int32,
  `base_fee` Nullable(UInt256)
) engine = MergeTree
partition by segment order by (`number`)
settings default_compression_codec = 'ZSTD(1)', non_replicated_deduplication_window = 10000;

create table if not exists erc20_transfer (
  `segment` Int32,
  `block` Int32,
  `log_index` Int32,
  `tx_index` Int32,
  `timestamp` Int32,
  `token` String,
  `from` String,
  `to` String,
  `amount` UInt256
) engine = MergeTree
partition by segment order by (`token`, `block`, `log_index`)
settings default_compression_codec = 'ZSTD(1)', non_replicated_deduplication_window = 10000;

create table if not exists weth9_deposit (
  `segment` Int32,
  `block` Int32,
  `log_index` Int32,
  `tx_index` Int32,
  `timestamp` Int32,
  `token` String,
  `account` String,
  `amount` UInt256
) engine = MergeTree
partition by segment order by (`token`, `block`, `log_index`)
settings default_compression_codec = 'ZSTD(1)', non_replicated_deduplication_window = 10000;

create table if not exists weth9_withdrawal (
  `segment` Int32,
  `block` Int32,
  `log_index` Int32,
  `tx_index` Int32,
  `timestamp` Int32,
  `token` String,
  `account` String,
  `amount` UInt256
) engine = MergeTree
partition by segment order by (`token`, `block`, `log_index`)
settings default_compression_codec = 'ZSTD(1)', non_replicated_deduplication_window = 10000;

create table if not exists v3_pool_created (
  `segment` Int32,
  `block` Int32,
  `log_index` Int32,
  `tx_index` Int32,
  `timestamp` Int32,
  `factory` String,
  `pool` String,
  `token0` String,
  `token1` String,
  `fee` Int32,
  `tick_spacing` Int32
) engine = MergeTree
partition by segment order by (`pool`, `block`, `log_index`)
settings default_compression_codec = 'ZSTD(1)', non_replicated_deduplication_window = 10000;

create table if not exists v3_fee_amount_enabled (
  `segment` Int32,
  `block` Int32,
  `log_index` Int32,
  `tx_index` Int32,
  `timestamp` Int32,
  `factory` String,
  `fee` Int32,
  `tick_spacing` Int32
) engine = MergeTree
partition by segment order by (`factory`, `block`, `log_index`)
settings default_compression_codec = 'ZSTD(1)', non_replicated_deduplication_window = 10000;

create table if not exists v3_initialize (
  `segment` Int32,
  `block` Int32,
  `log_index` Int32,
  `tx_index` Int32,
  `timestamp` Int32,
  `pool` String,
  `sqrt_price_x96` UInt256,
  `tick` Int32
) engine = MergeTree
partition by segment order by (`pool`, `block`, `log_index`)
settings default_compression_codec = 'ZSTD(1)', non_replicated_deduplication_window = 10000;

create table if not exists v3_swap (
  `segment` Int32,
  `block` Int32,
  `log_index` Int32,
  `tx_index` Int32,
  `timestamp` Int32,
  `pool` String,
  `sender` String,
  `recipient` String,
  `amount0` Int256,
  `amount1` Int256,
  `sqrt_price_x96` UInt256,
  `liquidity` UInt256,
  `tick` Int32
) engine = MergeTree
partition by segment order by (`pool`, `block`, `log_index`)
settings default_compression_codec = 'ZSTD(1)', non_replicated_deduplication_window = 10000;

create table if not exists v3_liquidity (
  `segment` Int32,
  `block` Int32,
  `log_index` Int32,
  `tx_index` Int32,
  `timestamp` Int32,
  `pool` String,
  `kind` String,
  `sender` Nullable(String),
  `owner` String,
  `recipient` Nullable(String),
  `tick_lower` Int32,
  `tick_upper` Int32,
  `liquidity` UInt256,
  `amount0` UInt256,
  `amount1` UInt256
) engine = MergeTree
partition by segment order by (`pool`, `block`, `log_index`)
settings default_compression_codec = 'ZSTD(1)', non_replicated_deduplication_window = 10000;

create table if not exists v3_flash (
  `segment` Int32,
  `block` Int32,
  `log_index` Int32,
  `tx_index` Int32,
  `timestamp` Int32,
  `pool` String,
  `sender` String,
  `recipient` String,
  `amount0` UInt256,
  `amount1` UInt256,
  `paid0` UInt256,
  `paid1` UInt256
) engine = MergeTree
partition by segment order by (`pool`, `block`, `log_index`)
settings default_compression_codec = 'ZSTD(1)', non_replicated_deduplication_window = 10000;

create table if not exists v3_protocol_fee (
  `segment` Int32,
  `block` Int32,
  `log_index` Int32,
  `tx_index` Int32,
  `timestamp` Int32,
  `pool` String,
  `kind` String,
  `fee_protocol0_old` Nullable(Int32),
  `fee_protocol1_old` Nullable(Int32),
  `fee_protocol0_new` Nullable(Int32),
  `fee_protocol1_new` Nullable(Int32),
  `sender` Nullable(String),
  `recipient` Nullable(String),
  `amount0` Nullable(UInt256),
  `amount1` Nullable(UInt256)
) engine = MergeTree
partition by segment order by (`pool`, `block`, `log_index`)
settings default_compression_codec = 'ZSTD(1)', non_replicated_deduplication_window = 10000;

create table if not exists v3_nft (
  `segment` Int32,
  `block` Int32,
  `log_index` Int32,
  `tx_index` Int32,
  `timestamp` Int32,
  `manager` String,
  `token_id` UInt256,
  `kind` String,
  `from` Nullable(String),
  `to` Nullable(String),
  `recipient` Nullable(String),
  `liquidity` Nullable(UInt256),
  `amount0` Nullable(UInt256),
  `amount1` Nullable(UInt256)
) engine = MergeTree
partition by segment order by (`manager`, `block`, `log_index`)
settings default_compression_codec = 'ZSTD(1)', non_replicated_deduplication_window = 10000;

create table if not exists v2_pair_created (
  `segment` Int32,
  `block` Int32,
  `log_index` Int32,
  `tx_index` Int32,
  `timestamp` Int32,
  `factory` String,
  `pair` String,
  `token0` String,
  `token1` String,
  `ordinal` UInt256
) engine = MergeTree
partition by segment order by (`pair`, `block`, `log_index`)
settings default_compression_codec = 'ZSTD(1)', non_replicated_deduplication_window = 10000;

create table if not exists v2_swap (
  `segment` Int32,
  `block` Int32,
  `log_index` Int32,
  `tx_index` Int32,
  `timestamp` Int32,
  `pair` String,
  `sender` String,
  `to` String,
  `amount0_in` UInt256,
  `amount1_in` UInt256,
  `amount0_out` UInt256,
  `amount1_out` UInt256
) engine = MergeTree
partition by segment order by (`pair`, `block`, `log_index`)
settings default_compression_codec = 'ZSTD(1)', non_replicated_deduplication_window = 10000;

create table if not exists v2_liquidity (
  `segment` Int32,
  `block` Int32,
  `log_index` Int32,
  `tx_index` Int32,
  `timestamp` Int32,
  `pair` String,
  `kind` String,
  `sender` String,
  `to` Nullable(String),
  `amount0` UInt256,
  `amount1` UInt256
) engine = MergeTree
partition by segment order by (`pair`, `block`, `log_index`)
settings default_compression_codec = 'ZSTD(1)', non_replicated_deduplication_window = 10000;

create table if not exists v2_sync (
  `segment` Int32,
  `block` Int32,
  `log_index` Int32,
  `tx_index` Int32,
  `timestamp` Int32,
  `pair` String,
  `reserve0` UInt256,
  `reserve1` UInt256
) engine = MergeTree
partition by segment order by (`pair`, `block`, `log_index`)
settings default_compression_codec = 'ZSTD(1)', non_replicated_deduplication_window = 10000;

create table if not exists island_created (
  `segment` Int32,
  `block` Int32,
  `log_index` Int32,
  `tx_index` Int32,
  `timestamp` Int32,
  `factory` String,
  `island` String,
  `pool` String,
  `manager` String,
  `implementation` String
) engine = MergeTree
partition by segment order by (`pool`, `block`, `log_index`)
settings default_compression_codec = 'ZSTD(1)', non_replicated_deduplication_window = 10000;

create table if not exists island_flow (
  `segment` Int32,
  `block` Int32,
  `log_index` Int32,
  `tx_index` Int32,
  `timestamp` Int32,
  `island` String,
  `kind` String,
  `receiver` Nullable(String),
  `shares` Nullable(UInt256),
  `amount0` UInt256,
  `amount1` UInt256,
  `liquidity` Nullable(UInt256)
) engine = MergeTree
partition by segment order by (`island`, `block`, `log_index`)
settings default_compression_codec = 'ZSTD(1)', non_replicated_deduplication_window = 10000;

create table if not exists island_rebalance (
  `segment` Int32,
  `block` Int32,
  `log_index` Int32,
  `tx_index` Int32,
  `timestamp` Int32,
  `island` String,
  `compounder` String,
  `tick_lower` Int32,
  `tick_upper` Int32,
  `liquidity_before` UInt256,
  `liquidity_after` UInt256
) engine = MergeTree
partition by segment order by (`island`, `block`, `log_index`)
settings default_compression_codec = 'ZSTD(1)', non_replicated_deduplication_window = 10000;

create table if not exists island_manager (
  `segment` Int32,
  `block` Int32,
  `log_index` Int32,
  `tx_index` Int32,
  `timestamp` Int32,
  `island` String,
  `kind` String,
  `fee_bps` Nullable(Int32),
  `treasury` Nullable(String),
  `slippage_bps` Nullable(Int32),
  `slippage_interval` Nullable(Int32),
  `previous_manager` Nullable(String),
  `new_manager` Nullable(String)
) engine = MergeTree
partition by segment order by (`island`, `block`, `log_index`)
settings default_compression_codec = 'ZSTD(1)', non_replicated_deduplication_window = 10000;

create table if not exists vault_created (
  `segment` Int32,
  `block` Int32,
  `log_index` Int32,
  `tx_index` Int32,
  `timestamp` Int32,
  `factory` String,
  `vault` String,
  `kind` String,
  `asset` Nullable(String),
  `implementation` Nullable(String),
  `creator` Nullable(String)
) engine = MergeTree
partition by segment order by (`vault`, `block`, `log_index`)
settings default_compression_codec = 'ZSTD(1)', non_replicated_deduplication_window = 10000;

create table if not exists vault_flow (
  `segment` Int32,
  `block` Int32,
  `log_index` Int32,
  `tx_index` Int32,
  `timestamp` Int32,
  `vault` String,
  `kind` String,
  `sender` Nullable(String),
  `receiver` Nullable(String),
  `owner` Nullable(String),
  `assets` UInt256,
  `shares` Nullable(UInt256),
  `new_shares` Nullable(UInt256),
  `fee` Nullable(UInt256),
  `reward` Nullable(UInt256),
  `reward_token` Nullable(String)
) engine = MergeTree
partition by segment order by (`vault`, `block`, `log_index`)
settings default_compression_codec = 'ZSTD(1)', non_replicated_deduplication_window = 10000;

create table if not exists stake (
  `segment` Int32,
  `block` Int32,
  `log_index` Int32,
  `tx_index` Int32,
  `timestamp` Int32,
  `vault` String,
  `protocol` String,
  `kind` String,
  `account` String,
  `delegate` Nullable(String),
  `amount` UInt256,
  `lock_seconds` Nullable(UInt256),
  `lock_id` Nullable(String)
) engine = MergeTree
partition by segment order by (`vault`, `block`, `log_index`)
settings default_compression_codec = 'ZSTD(1)', non_replicated_deduplication_window = 10000;

create table if not exists reward (
  `segment` Int32,
  `block` Int32,
  `log_index` Int32,
  `tx_index` Int32,
  `timestamp` Int32,
  `vault` String,
  `protocol` String,
  `kind` String,
  `token` Nullable(String),
  `account` Nullable(String),
  `receiver` Nullable(String),
  `amount` Nullable(UInt256),
  `validator` Nullable(String),
  `next_timestamp` Nullable(UInt256)
) engine = MergeTree
partition by segment order by (`vault`, `block`, `log_index`)
settings default_compression_codec = 'ZSTD(1)', non_replicated_deduplication_window = 10000;

create table if not exists incentive (
  `segment` Int32,
  `block` Int32,
  `log_index` Int32,
  `tx_index` Int32,
  `timestamp` Int32,
  `vault` String,
  `kind` String,
  `token` String,
  `account` Nullable(String),
  `amount` Nullable(UInt256),
  `rate` Nullable(UInt256),
  `emitted` Nullable(UInt256),
  `validator` Nullable(String)
) engine = MergeTree
partition by segment order by (`token`, `block`, `log_index`)
settings default_compression_codec = 'ZSTD(1)', non_replicated_deduplication_window = 10000;

create table if not exists launch_pool (
  `segment` Int32,
  `block` Int32,
  `log_index` Int32,
  `tx_index` Int32,
  `timestamp` Int32,
  `pool` String,
  `kind` String,
  `factory` Nullable(String),
  `implementation` Nullable(String),
  `token` Nullable(String),
  `base_token` Nullable(String),
  `sqrt_pa` Nullable(UInt256),
  `sqrt_pb` Nullable(UInt256),
  `vesting_period` Nullable(UInt256),
  `deployer` Nullable(String),
  `data` Nullable(String),
  `token_amount` Nullable(UInt256),
  `base_amount` Nullable(UInt256)
) engine = MergeTree
partition by segment order by (`pool`, `block`, `log_index`)
settings default_compression_codec = 'ZSTD(1)', non_replicated_deduplication_window = 10000;

create table if not exists launch_swap (
  `segment` Int32,
  `block` Int32,
  `log_index` Int32,
  `tx_index` Int32,
  `timestamp` Int32,
  `pool` String,
  `sender` String,
  `to` String,
  `token_in` UInt256,
  `base_in` UInt256,
  `token_out` UInt256,
  `base_out` UInt256
) engine = MergeTree
partition by segment order by (`pool`, `block`, `log_index`)
settings default_compression_codec = 'ZSTD(1)', non_replicated_deduplication_window = 10000;

create table if not exists launch_sync (
  `segment` Int32,
  `block` Int32,
  `log_index` Int32,
  `tx_index` Int32,
  `timestamp` Int32,
  `pool` String,
  `token_reserve` UInt256,
  `base_reserve` UInt256,
  `sqrt_price` UInt256
) engine = MergeTree
partition by segment order by (`pool`, `block`, `log_index`)
settings default_compression_codec = 'ZSTD(1)', non_replicated_deduplication_window = 10000;

create table if not exists other_event (
  `segment` Int32,
  `block` Int32,
  `log_index` Int32,
  `tx_index` Int32,
  `timestamp` Int32,
  `contract` String,
  `event` String,
  `args` String
) engine = MergeTree
partition by segment order by (`contract`, `block`, `log_index`)
settings default_compression_codec = 'ZSTD(1)', non_replicated_deduplication_window = 10000;

create table if not exists holding_closed (
  `segment` Int32,
  `ledger` String,
  `token` String,
  `account` String,
  `amount` UInt256,
  `from_block` Int32,
  `to_block` Int32,
  index by_account `account` type bloom_filter(0.01) granularity 1
) engine = MergeTree
partition by segment order by (`ledger`, `token`, `account`, `from_block`)
settings default_compression_codec = 'ZSTD(1)', non_replicated_deduplication_window = 10000;

create table if not exists holding_open (
  `segment` Int32,
  `ledger` String,
  `token` String,
  `account` String,
  `amount` UInt256,
  `from_block` Int32,
  index by_account `account` type bloom_filter(0.01) granularity 1
) engine = MergeTree
partition by segment order by (`ledger`, `token`, `account`, `from_block`)
settings default_compression_codec = 'ZSTD(1)', non_replicated_deduplication_window = 10000;

create table if not exists v3_pool_closed (
  `segment` Int32,
  `pool` String,
  `sqrt_price_x96` UInt256,
  `tick` Int32,
  `liquidity` UInt256,
  `fee_growth_global0_x128` UInt256,
  `fee_growth_global1_x128` UInt256,
  `protocol_fees0` UInt256,
  `protocol_fees1` UInt256,
  `fee_protocol0` Int32,
  `fee_protocol1` Int32,
  `from_block` Int32,
  `to_block` Int32
) engine = MergeTree
partition by segment order by (`pool`, `from_block`)
settings default_compression_codec = 'ZSTD(1)', non_replicated_deduplication_window = 10000;

create table if not exists v3_pool_open (
  `segment` Int32,
  `pool` String,
  `sqrt_price_x96` UInt256,
  `tick` Int32,
  `liquidity` UInt256,
  `fee_growth_global0_x128` UInt256,
  `fee_growth_global1_x128` UInt256,
  `protocol_fees0` UInt256,
  `protocol_fees1` UInt256,
  `fee_protocol0` Int32,
  `fee_protocol1` Int32,
  `from_block` Int32
) engine = MergeTree
partition by segment order by (`pool`, `from_block`)
settings default_compression_codec = 'ZSTD(1)', non_replicated_deduplication_window = 10000;

create table if not exists v3_tick_closed (
  `segment` Int32,
  `pool` String,
  `tick` Int32,
  `liquidity_gross` UInt256,
  `liquidity_net` Int256,
  `fee_growth_outside0_x128` UInt256,
  `fee_growth_outside1_x128` UInt256,
  `from_block` Int32,
  `to_block` Int32
) engine = MergeTree
partition by segment order by (`pool`, `tick`, `from_block`)
settings default_compression_codec = 'ZSTD(1)', non_replicated_deduplication_window = 10000;

create table if not exists v3_tick_open (
  `segment` Int32,
  `pool` String,
  `tick` Int32,
  `liquidity_gross` UInt256,
  `liquidity_net` Int256,
  `fee_growth_outside0_x128` UInt256,
  `fee_growth_outside1_x128` UInt256,
  `from_block` Int32
) engine = MergeTree
partition by segment order by (`pool`, `tick`, `from_block`)
settings default_compression_codec = 'ZSTD(1)', non_replicated_deduplication_window = 10000;

create table if not exists v3_position_closed (
  `segment` Int32,
  `pool` String,
  `owner` String,
  `tick_lower` Int32,
  `tick_upper` Int32,
  `liquidity` UInt256,
  `fee_growth_inside0_last_x128` UInt256,
  `fee_growth_inside1_last_x128` UInt256,
  `tokens_owed0` UInt256,
  `tokens_owed1` UInt256,
  `from_block` Int32,
  `to_block` Int32,
  index by_owner `owner` type bloom_filter(0.01) granularity 1
) engine = MergeTree
partition by segment order by (`pool`, `owner`, `tick_lower`, `tick_upper`, `from_block`)
settings default_compression_codec = 'ZSTD(1)', non_replicated_deduplication_window = 10000;

create table if not exists v3_position_open (
  `segment` Int32,
  `pool` String,
  `owner` String,
  `tick_lower` Int32,
  `tick_upper` Int32,
  `liquidity` UInt256,
  `fee_growth_inside0_last_x128` UInt256,
  `fee_growth_inside1_last_x128` UInt256,
  `tokens_owed0` UInt256,
  `tokens_owed1` UInt256,
  `from_block` Int32,
  index by_owner `owner` type bloom_filter(0.01) granularity 1
) engine = MergeTree
partition by segment order by (`pool`, `owner`, `tick_lower`, `tick_upper`, `from_block`)
settings default_compression_codec = 'ZSTD(1)', non_replicated_deduplication_window = 10000;

create table if not exists v3_nft_closed (
  `segment` Int32,
  `manager` String,
  `token_id` UInt256,
  `pool` String,
  `owner` String,
  `tick_lower` Int32,
  `tick_upper` Int32,
  `liquidity` UInt256,
  `fee_growth_inside0_last_x128` UInt256,
  `fee_growth_inside1_last_x128` UInt256,
  `tokens_owed0` UInt256,
  `tokens_owed1` UInt256,
  `from_block` Int32,
  `to_block` Int32
) engine = MergeTree
partition by segment order by (`pool`, `manager`, `token_id`, `from_block`)
settings default_compression_codec = 'ZSTD(1)', non_replicated_deduplication_window = 10000;

create table if not exists v3_nft_open (
  `segment` Int32,
  `manager` String,
  `token_id` UInt256,
  `pool` String,
  `owner` String,
  `tick_lower` Int32,
  `tick_upper` Int32,
  `liquidity` UInt256,
  `fee_growth_inside0_last_x128` UInt256,
  `fee_growth_inside1_last_x128` UInt256,
  `tokens_owed0` UInt256,
  `tokens_owed1` UInt256,
  `from_block` Int32
) engine = MergeTree
partition by segment order by (`pool`, `manager`, `token_id`, `from_block`)
settings default_compression_codec = 'ZSTD(1)', non_replicated_deduplication_window = 10000;

create table if not exists island_closed (
  `segment` Int32,
  `island` String,
  `tick_lower` Int32,
  `tick_upper` Int32,
  `manager` String,
  `manager_fee_bps` Int32,
  `treasury` String,
  `manager_balance0` UInt256,
  `manager_balance1` UInt256,
  `from_block` Int32,
  `to_block` Int32
) engine = MergeTree
partition by segment order by (`island`, `from_block`)
settings default_compression_codec = 'ZSTD(1)', non_replicated_deduplication_window = 10000;

create table if not exists island_open (
  `segment` Int32,
  `island` String,
  `tick_lower` Int32,
  `tick_upper` Int32,
  `manager` String,
  `manager_fee_bps` Int32,
  `treasury` String,
  `manager_balance0` UInt256,
  `manager_balance1` UInt256,
  `from_block` Int32
) engine = MergeTree
partition by segment order by (`island`, `from_block`)
settings default_compression_codec = 'ZSTD(1)', non_replicated_deduplication_window = 10000;

create table if not exists v2_reserve_closed (
  `segment` Int32,
  `pair` String,
  `reserve0` UInt256,
  `reserve1` UInt256,
  `from_block` Int32,
  `to_block` Int32
) engine = MergeTree
partition by segment order by (`pair`, `from_block`)
settings default_compression_codec = 'ZSTD(1)', non_replicated_deduplication_window = 10000;

create table if not exists v2_reserve_open (
  `segment` Int32,
  `pair` String,
  `reserve0` UInt256,
  `reserve1` UInt256,
  `from_block` Int32
) engine = MergeTree
partition by segment order by (`pair`, `from_block`)
settings default_compression_codec = 'ZSTD(1)', non_replicated_deduplication_window = 10000;

create table if not exists launch_curve_closed (
  `segment` Int32,
  `pool` String,
  `token_reserve` UInt256,
  `base_reserve` UInt256,
  `sqrt_price` UInt256,
  `from_block` Int32,
  `to_block` Int32
) engine = MergeTree
partition by segment order by (`pool`, `from_block`)
settings default_compression_codec = 'ZSTD(1)', non_replicated_deduplication_window = 10000;

create table if not exists launch_curve_open (
  `segment` Int32,
  `pool` String,
  `token_reserve` UInt256,
  `base_reserve` UInt256,
  `sqrt_price` UInt256,
  `from_block` Int32
) engine = MergeTree
partition by segment order by (`pool`, `from_block`)
settings default_compression_codec = 'ZSTD(1)', non_replicated_deduplication_window = 10000;

create table if not exists tokens (
  `segment` Int32,
  `token` String,
  `first_block` Int32,
  `first_log` Int32
) engine = MergeTree
partition by segment order by (`token`)
settings default_compression_codec = 'ZSTD(1)', non_replicated_deduplication_window = 10000;

create table if not exists quarantine (
  `segment` Int32,
  `ledger` String,
  `token` String,
  `block` Int32,
  `log_index` Int32,
  `account` String,
  `reason` String
) engine = MergeTree
partition by segment order by (`ledger`, `token`)
settings default_compression_codec = 'ZSTD(1)', non_replicated_deduplication_window = 10000;

create table if not exists stopped (
  `segment` Int32,
  `kind` String,
  `contract` String,
  `block` Int32,
  `log_index` Int32,
  `field` String,
  `expected` String,
  `replayed` String
) engine = MergeTree
partition by segment order by (`kind`, `contract`)
settings default_compression_codec = 'ZSTD(1)', non_replicated_deduplication_window = 10000;

create table if not exists prices (
  `segment` Int32,
  `hour` Int32,
  `block` Int32,
  `token` String,
  `usd` UInt256,
  `strategy` String
) engine = MergeTree
partition by segment order by (`token`, `hour`)
settings default_compression_codec = 'ZSTD(1)', non_replicated_deduplication_window = 10000;

create table if not exists lake_segment (
  `first` Int32,
  `last` Int32,
  `hash` String
) engine = ReplacingMergeTree
order by (`last`);

create table if not exists lake_file (
  `path` String,
  `sha256` String,
  `rows` UInt64
) engine = ReplacingMergeTree
order by (`path`);
