-- Made from the lake's datasets by `node scripts/clickhouse-schema.ts`. A segment is a partition; `segment`: its last block.
-- The macros cluster, shard and replica are each server's own (README.md).

create table if not exists block_shard on cluster '{cluster}' (
  `segment` Int32,
  `number` Int32,
  `hash` String,
  `timestamp` Int32,
  `base_fee` Nullable(UInt256)
) engine = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
partition by segment order by (`number`)
settings default_compression_codec = 'ZSTD(1)', replicated_deduplication_window = 10000;

create table if not exists block on cluster '{cluster}' as block_shard
engine = Distributed('{cluster}', currentDatabase(), 'block_shard', cityHash64(`number`));

create table if not exists erc20_transfer_shard on cluster '{cluster}' (
  `segment` Int32,
  `block` Int32,
  `log_index` Int32,
  `tx_index` Int32,
  `timestamp` Int32,
  `token` String,
  `from` String,
  `to` String,
  `amount` UInt256
) engine = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
partition by segment order by (`token`, `block`, `log_index`)
settings default_compression_codec = 'ZSTD(1)', replicated_deduplication_window = 10000;

create table if not exists erc20_transfer on cluster '{cluster}' as erc20_transfer_shard
engine = Distributed('{cluster}', currentDatabase(), 'erc20_transfer_shard', cityHash64(`token`));

create table if not exists weth9_deposit_shard on cluster '{cluster}' (
  `segment` Int32,
  `block` Int32,
  `log_index` Int32,
  `tx_index` Int32,
  `timestamp` Int32,
  `token` String,
  `account` String,
  `amount` UInt256
) engine = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
partition by segment order by (`token`, `block`, `log_index`)
settings default_compression_codec = 'ZSTD(1)', replicated_deduplication_window = 10000;

create table if not exists weth9_deposit on cluster '{cluster}' as weth9_deposit_shard
engine = Distributed('{cluster}', currentDatabase(), 'weth9_deposit_shard', cityHash64(`token`));

create table if not exists weth9_withdrawal_shard on cluster '{cluster}' (
  `segment` Int32,
  `block` Int32,
  `log_index` Int32,
  `tx_index` Int32,
  `timestamp` Int32,
  `token` String,
  `account` String,
  `amount` UInt256
) engine = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
partition by segment order by (`token`, `block`, `log_index`)
settings default_compression_codec = 'ZSTD(1)', replicated_deduplication_window = 10000;

create table if not exists weth9_withdrawal on cluster '{cluster}' as weth9_withdrawal_shard
engine = Distributed('{cluster}', currentDatabase(), 'weth9_withdrawal_shard', cityHash64(`token`));

create table if not exists v3_pool_created_shard on cluster '{cluster}' (
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
) engine = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
partition by segment order by (`pool`, `block`, `log_index`)
settings default_compression_codec = 'ZSTD(1)', replicated_deduplication_window = 10000;

create table if not exists v3_pool_created on cluster '{cluster}' as v3_pool_created_shard
engine = Distributed('{cluster}', currentDatabase(), 'v3_pool_created_shard', cityHash64(`pool`));

create table if not exists v3_fee_amount_enabled_shard on cluster '{cluster}' (
  `segment` Int32,
  `block` Int32,
  `log_index` Int32,
  `tx_index` Int32,
  `timestamp` Int32,
  `factory` String,
  `fee` Int32,
  `tick_spacing` Int32
) engine = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
partition by segment order by (`factory`, `block`, `log_index`)
settings default_compression_codec = 'ZSTD(1)', replicated_deduplication_window = 10000;

create table if not exists v3_fee_amount_enabled on cluster '{cluster}' as v3_fee_amount_enabled_shard
engine = Distributed('{cluster}', currentDatabase(), 'v3_fee_amount_enabled_shard', cityHash64(`factory`));

create table if not exists v3_initialize_shard on cluster '{cluster}' (
  `segment` Int32,
  `block` Int32,
  `log_index` Int32,
  `tx_index` Int32,
  `timestamp` Int32,
  `pool` String,
  `sqrt_price_x96` UInt256,
  `tick` Int32
) engine = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
partition by segment order by (`pool`, `block`, `log_index`)
settings default_compression_codec = 'ZSTD(1)', replicated_deduplication_window = 10000;

create table if not exists v3_initialize on cluster '{cluster}' as v3_initialize_shard
engine = Distributed('{cluster}', currentDatabase(), 'v3_initialize_shard', cityHash64(`pool`));

create table if not exists v3_swap_shard on cluster '{cluster}' (
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
) engine = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
partition by segment order by (`pool`, `block`, `log_index`)
settings default_compression_codec = 'ZSTD(1)', replicated_deduplication_window = 10000;

create table if not exists v3_swap on cluster '{cluster}' as v3_swap_shard
engine = Distributed('{cluster}', currentDatabase(), 'v3_swap_shard', cityHash64(`pool`));

create table if not exists v3_liquidity_shard on cluster '{cluster}' (
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
) engine = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
partition by segment order by (`pool`, `block`, `log_index`)
settings default_compression_codec = 'ZSTD(1)', replicated_deduplication_window = 10000;

create table if not exists v3_liquidity on cluster '{cluster}' as v3_liquidity_shard
engine = Distributed('{cluster}', currentDatabase(), 'v3_liquidity_shard', cityHash64(`pool`));

create table if not exists v3_flash_shard on cluster '{cluster}' (
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
) engine = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
partition by segment order by (`pool`, `block`, `log_index`)
settings default_compression_codec = 'ZSTD(1)', replicated_deduplication_window = 10000;

create table if not exists v3_flash on cluster '{cluster}' as v3_flash_shard
engine = Distributed('{cluster}', currentDatabase(), 'v3_flash_shard', cityHash64(`pool`));

create table if not exists v3_protocol_fee_shard on cluster '{cluster}' (
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
) engine = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
partition by segment order by (`pool`, `block`, `log_index`)
settings default_compression_codec = 'ZSTD(1)', replicated_deduplication_window = 10000;

create table if not exists v3_protocol_fee on cluster '{cluster}' as v3_protocol_fee_shard
engine = Distributed('{cluster}', currentDatabase(), 'v3_protocol_fee_shard', cityHash64(`pool`));

create table if not exists v3_nft_shard on cluster '{cluster}' (
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
) engine = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
partition by segment order by (`manager`, `block`, `log_index`)
settings default_compression_codec = 'ZSTD(1)', replicated_deduplication_window = 10000;

create table if not exists v3_nft on cluster '{cluster}' as v3_nft_shard
engine = Distributed('{cluster}', currentDatabase(), 'v3_nft_shard', cityHash64(`manager`));

create table if not exists v2_pair_created_shard on cluster '{cluster}' (
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
) engine = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
partition by segment order by (`pair`, `block`, `log_index`)
settings default_compression_codec = 'ZSTD(1)', replicated_deduplication_window = 10000;

create table if not exists v2_pair_created on cluster '{cluster}' as v2_pair_created_shard
engine = Distributed('{cluster}', currentDatabase(), 'v2_pair_created_shard', cityHash64(`pair`));

create table if not exists v2_swap_shard on cluster '{cluster}' (
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
) engine = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
partition by segment order by (`pair`, `block`, `log_index`)
settings default_compression_codec = 'ZSTD(1)', replicated_deduplication_window = 10000;

create table if not exists v2_swap on cluster '{cluster}' as v2_swap_shard
engine = Distributed('{cluster}', currentDatabase(), 'v2_swap_shard', cityHash64(`pair`));

create table if not exists v2_liquidity_shard on cluster '{cluster}' (
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
) engine = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
partition by segment order by (`pair`, `block`, `log_index`)
settings default_compression_codec = 'ZSTD(1)', replicated_deduplication_window = 10000;

create table if not exists v2_liquidity on cluster '{cluster}' as v2_liquidity_shard
engine = Distributed('{cluster}', currentDatabase(), 'v2_liquidity_shard', cityHash64(`pair`));

create table if not exists v2_sync_shard on cluster '{cluster}' (
  `segment` Int32,
  `block` Int32,
  `log_index` Int32,
  `tx_index` Int32,
  `timestamp` Int32,
  `pair` String,
  `reserve0` UInt256,
  `reserve1` UInt256
) engine = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
partition by segment order by (`pair`, `block`, `log_index`)
settings default_compression_codec = 'ZSTD(1)', replicated_deduplication_window = 10000;

create table if not exists v2_sync on cluster '{cluster}' as v2_sync_shard
engine = Distributed('{cluster}', currentDatabase(), 'v2_sync_shard', cityHash64(`pair`));

create table if not exists island_created_shard on cluster '{cluster}' (
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
) engine = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
partition by segment order by (`pool`, `block`, `log_index`)
settings default_compression_codec = 'ZSTD(1)', replicated_deduplication_window = 10000;

create table if not exists island_created on cluster '{cluster}' as island_created_shard
engine = Distributed('{cluster}', currentDatabase(), 'island_created_shard', cityHash64(`pool`));

create table if not exists island_flow_shard on cluster '{cluster}' (
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
) engine = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
partition by segment order by (`island`, `block`, `log_index`)
settings default_compression_codec = 'ZSTD(1)', replicated_deduplication_window = 10000;

create table if not exists island_flow on cluster '{cluster}' as island_flow_shard
engine = Distributed('{cluster}', currentDatabase(), 'island_flow_shard', cityHash64(`island`));

create table if not exists island_rebalance_shard on cluster '{cluster}' (
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
) engine = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
partition by segment order by (`island`, `block`, `log_index`)
settings default_compression_codec = 'ZSTD(1)', replicated_deduplication_window = 10000;

create table if not exists island_rebalance on cluster '{cluster}' as island_rebalance_shard
engine = Distributed('{cluster}', currentDatabase(), 'island_rebalance_shard', cityHash64(`island`));

create table if not exists island_manager_shard on cluster '{cluster}' (
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
) engine = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
partition by segment order by (`island`, `block`, `log_index`)
settings default_compression_codec = 'ZSTD(1)', replicated_deduplication_window = 10000;

create table if not exists island_manager on cluster '{cluster}' as island_manager_shard
engine = Distributed('{cluster}', currentDatabase(), 'island_manager_shard', cityHash64(`island`));

create table if not exists vault_created_shard on cluster '{cluster}' (
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
) engine = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
partition by segment order by (`vault`, `block`, `log_index`)
settings default_compression_codec = 'ZSTD(1)', replicated_deduplication_window = 10000;

create table if not exists vault_created on cluster '{cluster}' as vault_created_shard
engine = Distributed('{cluster}', currentDatabase(), 'vault_created_shard', cityHash64(`vault`));

create table if not exists vault_flow_shard on cluster '{cluster}' (
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
) engine = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
partition by segment order by (`vault`, `block`, `log_index`)
settings default_compression_codec = 'ZSTD(1)', replicated_deduplication_window = 10000;

create table if not exists vault_flow on cluster '{cluster}' as vault_flow_shard
engine = Distributed('{cluster}', currentDatabase(), 'vault_flow_shard', cityHash64(`vault`));

create table if not exists stake_shard on cluster '{cluster}' (
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
) engine = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
partition by segment order by (`vault`, `block`, `log_index`)
settings default_compression_codec = 'ZSTD(1)', replicated_deduplication_window = 10000;

create table if not exists stake on cluster '{cluster}' as stake_shard
engine = Distributed('{cluster}', currentDatabase(), 'stake_shard', cityHash64(`vault`));

create table if not exists reward_shard on cluster '{cluster}' (
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
) engine = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
partition by segment order by (`vault`, `block`, `log_index`)
settings default_compression_codec = 'ZSTD(1)', replicated_deduplication_window = 10000;

create table if not exists reward on cluster '{cluster}' as reward_shard
engine = Distributed('{cluster}', currentDatabase(), 'reward_shard', cityHash64(`vault`));

create table if not exists incentive_shard on cluster '{cluster}' (
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
) engine = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
partition by segment order by (`token`, `block`, `log_index`)
settings default_compression_codec = 'ZSTD(1)', replicated_deduplication_window = 10000;

create table if not exists incentive on cluster '{cluster}' as incentive_shard
engine = Distributed('{cluster}', currentDatabase(), 'incentive_shard', cityHash64(`token`));

create table if not exists launch_pool_shard on cluster '{cluster}' (
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
) engine = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
partition by segment order by (`pool`, `block`, `log_index`)
settings default_compression_codec = 'ZSTD(1)', replicated_deduplication_window = 10000;

create table if not exists launch_pool on cluster '{cluster}' as launch_pool_shard
engine = Distributed('{cluster}', currentDatabase(), 'launch_pool_shard', cityHash64(`pool`));

create table if not exists launch_swap_shard on cluster '{cluster}' (
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
) engine = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
partition by segment order by (`pool`, `block`, `log_index`)
settings default_compression_codec = 'ZSTD(1)', replicated_deduplication_window = 10000;

create table if not exists launch_swap on cluster '{cluster}' as launch_swap_shard
engine = Distributed('{cluster}', currentDatabase(), 'launch_swap_shard', cityHash64(`pool`));

create table if not exists launch_sync_shard on cluster '{cluster}' (
  `segment` Int32,
  `block` Int32,
  `log_index` Int32,
  `tx_index` Int32,
  `timestamp` Int32,
  `pool` String,
  `token_reserve` UInt256,
  `base_reserve` UInt256,
  `sqrt_price` UInt256
) engine = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
partition by segment order by (`pool`, `block`, `log_index`)
settings default_compression_codec = 'ZSTD(1)', replicated_deduplication_window = 10000;

create table if not exists launch_sync on cluster '{cluster}' as launch_sync_shard
engine = Distributed('{cluster}', currentDatabase(), 'launch_sync_shard', cityHash64(`pool`));

create table if not exists other_event_shard on cluster '{cluster}' (
  `segment` Int32,
  `block` Int32,
  `log_index` Int32,
  `tx_index` Int32,
  `timestamp` Int32,
  `contract` String,
  `event` String,
  `args` String
) engine = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
partition by segment order by (`contract`, `block`, `log_index`)
settings default_compression_codec = 'ZSTD(1)', replicated_deduplication_window = 10000;

create table if not exists other_event on cluster '{cluster}' as other_event_shard
engine = Distributed('{cluster}', currentDatabase(), 'other_event_shard', cityHash64(`contract`));

create table if not exists holding_closed_shard on cluster '{cluster}' (
  `segment` Int32,
  `ledger` String,
  `token` String,
  `account` String,
  `amount` UInt256,
  `from_block` Int32,
  `to_block` Int32,
  index by_account `account` type bloom_filter(0.01) granularity 1
) engine = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
partition by segment order by (`ledger`, `token`, `account`, `from_block`)
settings default_compression_codec = 'ZSTD(1)', replicated_deduplication_window = 10000;

create table if not exists holding_closed on cluster '{cluster}' as holding_closed_shard
engine = Distributed('{cluster}', currentDatabase(), 'holding_closed_shard', cityHash64(`token`));

create table if not exists holding_open_shard on cluster '{cluster}' (
  `segment` Int32,
  `ledger` String,
  `token` String,
  `account` String,
  `amount` UInt256,
  `from_block` Int32,
  index by_account `account` type bloom_filter(0.01) granularity 1
) engine = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
partition by segment order by (`ledger`, `token`, `account`, `from_block`)
settings default_compression_codec = 'ZSTD(1)', replicated_deduplication_window = 10000;

create table if not exists holding_open on cluster '{cluster}' as holding_open_shard
engine = Distributed('{cluster}', currentDatabase(), 'holding_open_shard', cityHash64(`token`));

create table if not exists v3_pool_closed_shard on cluster '{cluster}' (
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
) engine = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
partition by segment order by (`pool`, `from_block`)
settings default_compression_codec = 'ZSTD(1)', replicated_deduplication_window = 10000;

create table if not exists v3_pool_closed on cluster '{cluster}' as v3_pool_closed_shard
engine = Distributed('{cluster}', currentDatabase(), 'v3_pool_closed_shard', cityHash64(`pool`));

create table if not exists v3_pool_open_shard on cluster '{cluster}' (
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
) engine = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
partition by segment order by (`pool`, `from_block`)
settings default_compression_codec = 'ZSTD(1)', replicated_deduplication_window = 10000;

create table if not exists v3_pool_open on cluster '{cluster}' as v3_pool_open_shard
engine = Distributed('{cluster}', currentDatabase(), 'v3_pool_open_shard', cityHash64(`pool`));

create table if not exists v3_tick_closed_shard on cluster '{cluster}' (
  `segment` Int32,
  `pool` String,
  `tick` Int32,
  `liquidity_gross` UInt256,
  `liquidity_net` Int256,
  `fee_growth_outside0_x128` UInt256,
  `fee_growth_outside1_x128` UInt256,
  `from_block` Int32,
  `to_block` Int32
) engine = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
partition by segment order by (`pool`, `tick`, `from_block`)
settings default_compression_codec = 'ZSTD(1)', replicated_deduplication_window = 10000;

create table if not exists v3_tick_closed on cluster '{cluster}' as v3_tick_closed_shard
engine = Distributed('{cluster}', currentDatabase(), 'v3_tick_closed_shard', cityHash64(`pool`));

create table if not exists v3_tick_open_shard on cluster '{cluster}' (
  `segment` Int32,
  `pool` String,
  `tick` Int32,
  `liquidity_gross` UInt256,
  `liquidity_net` Int256,
  `fee_growth_outside0_x128` UInt256,
  `fee_growth_outside1_x128` UInt256,
  `from_block` Int32
) engine = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
partition by segment order by (`pool`, `tick`, `from_block`)
settings default_compression_codec = 'ZSTD(1)', replicated_deduplication_window = 10000;

create table if not exists v3_tick_open on cluster '{cluster}' as v3_tick_open_shard
engine = Distributed('{cluster}', currentDatabase(), 'v3_tick_open_shard', cityHash64(`pool`));

create table if not exists v3_position_closed_shard on cluster '{cluster}' (
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
) engine = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
partition by segment order by (`pool`, `owner`, `tick_lower`, `tick_upper`, `from_block`)
settings default_compression_codec = 'ZSTD(1)', replicated_deduplication_window = 10000;

create table if not exists v3_position_closed on cluster '{cluster}' as v3_position_closed_shard
engine = Distributed('{cluster}', currentDatabase(), 'v3_position_closed_shard', cityHash64(`pool`));

create table if not exists v3_position_open_shard on cluster '{cluster}' (
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
) engine = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
partition by segment order by (`pool`, `owner`, `tick_lower`, `tick_upper`, `from_block`)
settings default_compression_codec = 'ZSTD(1)', replicated_deduplication_window = 10000;

create table if not exists v3_position_open on cluster '{cluster}' as v3_position_open_shard
engine = Distributed('{cluster}', currentDatabase(), 'v3_position_open_shard', cityHash64(`pool`));

create table if not exists v3_nft_closed_shard on cluster '{cluster}' (
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
) engine = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
partition by segment order by (`pool`, `manager`, `token_id`, `from_block`)
settings default_compression_codec = 'ZSTD(1)', replicated_deduplication_window = 10000;

create table if not exists v3_nft_closed on cluster '{cluster}' as v3_nft_closed_shard
engine = Distributed('{cluster}', currentDatabase(), 'v3_nft_closed_shard', cityHash64(`pool`));

create table if not exists v3_nft_open_shard on cluster '{cluster}' (
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
) engine = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
partition by segment order by (`pool`, `manager`, `token_id`, `from_block`)
settings default_compression_codec = 'ZSTD(1)', replicated_deduplication_window = 10000;

create table if not exists v3_nft_open on cluster '{cluster}' as v3_nft_open_shard
engine = Distributed('{cluster}', currentDatabase(), 'v3_nft_open_shard', cityHash64(`pool`));

create table if not exists island_closed_shard on cluster '{cluster}' (
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
) engine = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
partition by segment order by (`island`, `from_block`)
settings default_compression_codec = 'ZSTD(1)', replicated_deduplication_window = 10000;

create table if not exists island_closed on cluster '{cluster}' as island_closed_shard
engine = Distributed('{cluster}', currentDatabase(), 'island_closed_shard', cityHash64(`island`));

create table if not exists island_open_shard on cluster '{cluster}' (
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
) engine = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
partition by segment order by (`island`, `from_block`)
settings default_compression_codec = 'ZSTD(1)', replicated_deduplication_window = 10000;

create table if not exists island_open on cluster '{cluster}' as island_open_shard
engine = Distributed('{cluster}', currentDatabase(), 'island_open_shard', cityHash64(`island`));

create table if not exists v2_reserve_closed_shard on cluster '{cluster}' (
  `segment` Int32,
  `pair` String,
  `reserve0` UInt256,
  `reserve1` UInt256,
  `from_block` Int32,
  `to_block` Int32
) engine = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
partition by segment order by (`pair`, `from_block`)
settings default_compression_codec = 'ZSTD(1)', replicated_deduplication_window = 10000;

create table if not exists v2_reserve_closed on cluster '{cluster}' as v2_reserve_closed_shard
engine = Distributed('{cluster}', currentDatabase(), 'v2_reserve_closed_shard', cityHash64(`pair`));

create table if not exists v2_reserve_open_shard on cluster '{cluster}' (
  `segment` Int32,
  `pair` String,
  `reserve0` UInt256,
  `reserve1` UInt256,
  `from_block` Int32
) engine = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
partition by segment order by (`pair`, `from_block`)
settings default_compression_codec = 'ZSTD(1)', replicated_deduplication_window = 10000;

create table if not exists v2_reserve_open on cluster '{cluster}' as v2_reserve_open_shard
engine = Distributed('{cluster}', currentDatabase(), 'v2_reserve_open_shard', cityHash64(`pair`));

create table if not exists launch_curve_closed_shard on cluster '{cluster}' (
  `segment` Int32,
  `pool` String,
  `token_reserve` UInt256,
  `base_reserve` UInt256,
  `sqrt_price` UInt256,
  `from_block` Int32,
  `to_block` Int32
) engine = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
partition by segment order by (`pool`, `from_block`)
settings default_compression_codec = 'ZSTD(1)', replicated_deduplication_window = 10000;

create table if not exists launch_curve_closed on cluster '{cluster}' as launch_curve_closed_shard
engine = Distributed('{cluster}', currentDatabase(), 'launch_curve_closed_shard', cityHash64(`pool`));

create table if not exists launch_curve_open_shard on cluster '{cluster}' (
  `segment` Int32,
  `pool` String,
  `token_reserve` UInt256,
  `base_reserve` UInt256,
  `sqrt_price` UInt256,
  `from_block` Int32
) engine = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
partition by segment order by (`pool`, `from_block`)
settings default_compression_codec = 'ZSTD(1)', replicated_deduplication_window = 10000;

create table if not exists launch_curve_open on cluster '{cluster}' as launch_curve_open_shard
engine = Distributed('{cluster}', currentDatabase(), 'launch_curve_open_shard', cityHash64(`pool`));

create table if not exists tokens_shard on cluster '{cluster}' (
  `segment` Int32,
  `token` String,
  `first_block` Int32,
  `first_log` Int32
) engine = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
partition by segment order by (`token`)
settings default_compression_codec = 'ZSTD(1)', replicated_deduplication_window = 10000;

create table if not exists tokens on cluster '{cluster}' as tokens_shard
engine = Distributed('{cluster}', currentDatabase(), 'tokens_shard', cityHash64(`token`));

create table if not exists quarantine_shard on cluster '{cluster}' (
  `segment` Int32,
  `ledger` String,
  `token` String,
  `block` Int32,
  `log_index` Int32,
  `account` String,
  `reason` String
) engine = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
partition by segment order by (`ledger`, `token`)
settings default_compression_codec = 'ZSTD(1)', replicated_deduplication_window = 10000;

create table if not exists quarantine on cluster '{cluster}' as quarantine_shard
engine = Distributed('{cluster}', currentDatabase(), 'quarantine_shard', cityHash64(`token`));

create table if not exists stopped_shard on cluster '{cluster}' (
  `segment` Int32,
  `kind` String,
  `contract` String,
  `block` Int32,
  `log_index` Int32,
  `field` String,
  `expected` String,
  `replayed` String
) engine = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
partition by segment order by (`kind`, `contract`)
settings default_compression_codec = 'ZSTD(1)', replicated_deduplication_window = 10000;

create table if not exists stopped on cluster '{cluster}' as stopped_shard
engine = Distributed('{cluster}', currentDatabase(), 'stopped_shard', cityHash64(`contract`));

create table if not exists prices_shard on cluster '{cluster}' (
  `segment` Int32,
  `hour` Int32,
  `block` Int32,
  `token` String,
  `usd` UInt256,
  `strategy` String
) engine = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
partition by segment order by (`token`, `hour`)
settings default_compression_codec = 'ZSTD(1)', replicated_deduplication_window = 10000;

create table if not exists prices on cluster '{cluster}' as prices_shard
engine = Distributed('{cluster}', currentDatabase(), 'prices_shard', cityHash64(`token`));

create table if not exists lake_segment on cluster '{cluster}' (
  `first` Int32,
  `last` Int32,
  `hash` String
) engine = ReplicatedReplacingMergeTree('/clickhouse/tables/all/{database}/{table}', '{shard}-{replica}')
order by (`last`);

create table if not exists lake_file on cluster '{cluster}' (
  `path` String,
  `sha256` String,
  `rows` UInt64
) engine = ReplicatedReplacingMergeTree('/clickhouse/tables/all/{database}/{table}', '{shard}-{replica}')
order by (`path`);
