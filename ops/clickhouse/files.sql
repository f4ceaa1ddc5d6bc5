-- Made from the lake's datasets by `node scripts/clickhouse-schema.ts`. LAKE: the folder of the chain (README.md).

create or replace view block as
select toInt32(substring(cast(_file, 'String'), 12, 10)) as segment, `number`, `hash`, `timestamp`, cast(`base_fee`, 'Nullable(UInt256)') as `base_fee`
from file('LAKE/block/*.parquet', Parquet, '`number` Int32, `hash` String, `timestamp` Int32, `base_fee` Nullable(String)');

create or replace view erc20_transfer as
select toInt32(substring(cast(_file, 'String'), 12, 10)) as segment, `block`, `log_index`, `tx_index`, `timestamp`, `token`, `from`, `to`, cast(`amount`, 'UInt256') as `amount`
from file('LAKE/erc20_transfer/*.parquet', Parquet, '`block` Int32, `log_index` Int32, `tx_index` Int32, `timestamp` Int32, `token` String, `from` String, `to` String, `amount` String');

create or replace view weth9_deposit as
select toInt32(substring(cast(_file, 'String'), 12, 10)) as segment, `block`, `log_index`, `tx_index`, `timestamp`, `token`, `account`, cast(`amount`, 'UInt256') as `amount`
from file('LAKE/weth9_deposit/*.parquet', Parquet, '`block` Int32, `log_index` Int32, `tx_index` Int32, `timestamp` Int32, `token` String, `account` String, `amount` String');

create or replace view weth9_withdrawal as
select toInt32(substring(cast(_file, 'String'), 12, 10)) as segment, `block`, `log_index`, `tx_index`, `timestamp`, `token`, `account`, cast(`amount`, 'UInt256') as `amount`
from file('LAKE/weth9_withdrawal/*.parquet', Parquet, '`block` Int32, `log_index` Int32, `tx_index` Int32, `timestamp` Int32, `token` String, `account` String, `amount` String');

create or replace view v3_pool_created as
select toInt32(substring(cast(_file, 'String'), 12, 10)) as segment, `block`, `log_index`, `tx_index`, `timestamp`, `factory`, `pool`, `token0`, `token1`, `fee`, `tick_spacing`
from file('LAKE/v3_pool_created/*.parquet', Parquet, '`block` Int32, `log_index` Int32, `tx_index` Int32, `timestamp` Int32, `factory` String, `pool` String, `token0` String, `token1` String, `fee` Int32, `tick_spacing` Int32');

create or replace view v3_fee_amount_enabled as
select toInt32(substring(cast(_file, 'String'), 12, 10)) as segment, `block`, `log_index`, `tx_index`, `timestamp`, `factory`, `fee`, `tick_spacing`
from file('LAKE/v3_fee_amount_enabled/*.parquet', Parquet, '`block` Int32, `log_index` Int32, `tx_index` Int32, `timestamp` Int32, `factory` String, `fee` Int32, `tick_spacing` Int32');

create or replace view v3_initialize as
select toInt32(substring(cast(_file, 'String'), 12, 10)) as segment, `block`, `log_index`, `tx_index`, `timestamp`, `pool`, cast(`sqrt_price_x96`, 'UInt256') as `sqrt_price_x96`, `tick`
from file('LAKE/v3_initialize/*.parquet', Parquet, '`block` Int32, `log_index` Int32, `tx_index` Int32, `timestamp` Int32, `pool` String, `sqrt_price_x96` String, `tick` Int32');

create or replace view v3_swap as
select toInt32(substring(cast(_file, 'String'), 12, 10)) as segment, `block`, `log_index`, `tx_index`, `timestamp`, `pool`, `sender`, `recipient`, cast(`amount0`, 'Int256') as `amount0`, cast(`amount1`, 'Int256') as `amount1`, cast(`sqrt_price_x96`, 'UInt256') as `sqrt_price_x96`, cast(`liquidity`, 'UInt256') as `liquidity`, `tick`
from file('LAKE/v3_swap/*.parquet', Parquet, '`block` Int32, `log_index` Int32, `tx_index` Int32, `timestamp` Int32, `pool` String, `sender` String, `recipient` String, `amount0` String, `amount1` String, `sqrt_price_x96` String, `liquidity` String, `tick` Int32');

create or replace view v3_liquidity as
select toInt32(substring(cast(_file, 'String'), 12, 10)) as segment, `block`, `log_index`, `tx_index`, `timestamp`, `pool`, `kind`, `sender`, `owner`, `recipient`, `tick_lower`, `tick_upper`, cast(`liquidity`, 'UInt256') as `liquidity`, cast(`amount0`, 'UInt256') as `amount0`, cast(`amount1`, 'UInt256') as `amount1`
from file('LAKE/v3_liquidity/*.parquet', Parquet, '`block` Int32, `log_index` Int32, `tx_index` Int32, `timestamp` Int32, `pool` String, `kind` String, `sender` Nullable(String), `owner` String, `recipient` Nullable(String), `tick_lower` Int32, `tick_upper` Int32, `liquidity` String, `amount0` String, `amount1` String');

create or replace view v3_flash as
select toInt32(substring(cast(_file, 'String'), 12, 10)) as segment, `block`, `log_index`, `tx_index`, `timestamp`, `pool`, `sender`, `recipient`, cast(`amount0`, 'UInt256') as `amount0`, cast(`amount1`, 'UInt256') as `amount1`, cast(`paid0`, 'UInt256') as `paid0`, cast(`paid1`, 'UInt256') as `paid1`
from file('LAKE/v3_flash/*.parquet', Parquet, '`block` Int32, `log_index` Int32, `tx_index` Int32, `timestamp` Int32, `pool` String, `sender` String, `recipient` String, `amount0` String, `amount1` String, `paid0` String, `paid1` String');

create or replace view v3_protocol_fee as
select toInt32(substring(cast(_file, 'String'), 12, 10)) as segment, `block`, `log_index`, `tx_index`, `timestamp`, `pool`, `kind`, `fee_protocol0_old`, `fee_protocol1_old`, `fee_protocol0_new`, `fee_protocol1_new`, `sender`, `recipient`, cast(`amount0`, 'Nullable(UInt256)') as `amount0`, cast(`amount1`, 'Nullable(UInt256)') as `amount1`
from file('LAKE/v3_protocol_fee/*.parquet', Parquet, '`block` Int32, `log_index` Int32, `tx_index` Int32, `timestamp` Int32, `pool` String, `kind` String, `fee_protocol0_old` Nullable(Int32), `fee_protocol1_old` Nullable(Int32), `fee_protocol0_new` Nullable(Int32), `fee_protocol1_new` Nullable(Int32), `sender` Nullable(String), `recipient` Nullable(String), `amount0` Nullable(String), `amount1` Nullable(String)');

create or replace view v3_nft as
select toInt32(substring(cast(_file, 'String'), 12, 10)) as segment, `block`, `log_index`, `tx_index`, `timestamp`, `manager`, cast(`token_id`, 'UInt256') as `token_id`, `kind`, `from`, `to`, `recipient`, cast(`liquidity`, 'Nullable(UInt256)') as `liquidity`, cast(`amount0`, 'Nullable(UInt256)') as `amount0`, cast(`amount1`, 'Nullable(UInt256)') as `amount1`
from file('LAKE/v3_nft/*.parquet', Parquet, '`block` Int32, `log_index` Int32, `tx_index` Int32, `timestamp` Int32, `manager` String, `token_id` String, `kind` String, `from` Nullable(String), `to` Nullable(String), `recipient` Nullable(String), `liquidity` Nullable(String), `amount0` Nullable(String), `amount1` Nullable(String)');

create or replace view v2_pair_created as
select toInt32(substring(cast(_file, 'String'), 12, 10)) as segment, `block`, `log_index`, `tx_index`, `timestamp`, `factory`, `pair`, `token0`, `token1`, cast(`ordinal`, 'UInt256') as `ordinal`
from file('LAKE/v2_pair_created/*.parquet', Parquet, '`block` Int32, `log_index` Int32, `tx_index` Int32, `timestamp` Int32, `factory` String, `pair` String, `token0` String, `token1` String, `ordinal` String');

create or replace view v2_swap as
select toInt32(substring(cast(_file, 'String'), 12, 10)) as segment, `block`, `log_index`, `tx_index`, `timestamp`, `pair`, `sender`, `to`, cast(`amount0_in`, 'UInt256') as `amount0_in`, cast(`amount1_in`, 'UInt256') as `amount1_in`, cast(`amount0_out`, 'UInt256') as `amount0_out`, cast(`amount1_out`, 'UInt256') as `amount1_out`
from file('LAKE/v2_swap/*.parquet', Parquet, '`block` Int32, `log_index` Int32, `tx_index` Int32, `timestamp` Int32, `pair` String, `sender` String, `to` String, `amount0_in` String, `amount1_in` String, `amount0_out` String, `amount1_out` String');

create or replace view v2_liquidity as
select toInt32(substring(cast(_file, 'String'), 12, 10)) as segment, `block`, `log_index`, `tx_index`, `timestamp`, `pair`, `kind`, `sender`, `to`, cast(`amount0`, 'UInt256') as `amount0`, cast(`amount1`, 'UInt256') as `amount1`
from file('LAKE/v2_liquidity/*.parquet', Parquet, '`block` Int32, `log_index` Int32, `tx_index` Int32, `timestamp` Int32, `pair` String, `kind` String, `sender` String, `to` Nullable(String), `amount0` String, `amount1` String');

create or replace view v2_sync as
select toInt32(substring(cast(_file, 'String'), 12, 10)) as segment, `block`, `log_index`, `tx_index`, `timestamp`, `pair`, cast(`reserve0`, 'UInt256') as `reserve0`, cast(`reserve1`, 'UInt256') as `reserve1`
from file('LAKE/v2_sync/*.parquet', Parquet, '`block` Int32, `log_index` Int32, `tx_index` Int32, `timestamp` Int32, `pair` String, `reserve0` String, `reserve1` String');

create or replace view island_created as
select toInt32(substring(cast(_file, 'String'), 12, 10)) as segment, `block`, `log_index`, `tx_index`, `timestamp`, `factory`, `island`, `pool`, `manager`, `implementation`
from file('LAKE/island_created/*.parquet', Parquet, '`block` Int32, `log_index` Int32, `tx_index` Int32, `timestamp` Int32, `factory` String, `island` String, `pool` String, `manager` String, `implementation` String');

create or replace view island_flow as
select toInt32(substring(cast(_file, 'String'), 12, 10)) as segment, `block`, `log_index`, `tx_index`, `timestamp`, `island`, `kind`, `receiver`, cast(`shares`, 'Nullable(UInt256)') as `shares`, cast(`amount0`, 'UInt256') as `amount0`, cast(`amount1`, 'UInt256') as `amount1`, cast(`liquidity`, 'Nullable(UInt256)') as `liquidity`
from file('LAKE/island_flow/*.parquet', Parquet, '`block` Int32, `log_index` Int32, `tx_index` Int32, `timestamp` Int32, `island` String, `kind` String, `receiver` Nullable(String), `shares` Nullable(String), `amount0` String, `amount1` String, `liquidity` Nullable(String)');

create or replace view island_rebalance as
select toInt32(substring(cast(_file, 'String'), 12, 10)) as segment, `block`, `log_index`, `tx_index`, `timestamp`, `island`, `compounder`, `tick_lower`, `tick_upper`, cast(`liquidity_before`, 'UInt256') as `liquidity_before`, cast(`liquidity_after`, 'UInt256') as `liquidity_after`
from file('LAKE/island_rebalance/*.parquet', Parquet, '`block` Int32, `log_index` Int32, `tx_index` Int32, `timestamp` Int32, `island` String, `compounder` String, `tick_lower` Int32, `tick_upper` Int32, `liquidity_before` String, `liquidity_after` String');

create or replace view island_manager as
select toInt32(substring(cast(_file, 'String'), 12, 10)) as segment, `block`, `log_index`, `tx_index`, `timestamp`, `island`, `kind`, `fee_bps`, `treasury`, `slippage_bps`, `slippage_interval`, `previous_manager`, `new_manager`
from file('LAKE/island_manager/*.parquet', Parquet, '`block` Int32, `log_index` Int32, `tx_index` Int32, `timestamp` Int32, `island` String, `kind` String, `fee_bps` Nullable(Int32), `treasury` Nullable(String), `slippage_bps` Nullable(Int32), `slippage_interval` Nullable(Int32), `previous_manager` Nullable(String), `new_manager` Nullable(String)');

create or replace view vault_created as
select toInt32(substring(cast(_file, 'String'), 12, 10)) as segment, `block`, `log_index`, `tx_index`, `timestamp`, `factory`, `vault`, `kind`, `asset`, `implementation`, `creator`
from file('LAKE/vault_created/*.parquet', Parquet, '`block` Int32, `log_index` Int32, `tx_index` Int32, `timestamp` Int32, `factory` String, `vault` String, `kind` String, `asset` Nullable(String), `implementation` Nullable(String), `creator` Nullable(String)');

create or replace view vault_flow as
select toInt32(substring(cast(_file, 'String'), 12, 10)) as segment, `block`, `log_index`, `tx_index`, `timestamp`, `vault`, `kind`, `sender`, `receiver`, `owner`, cast(`assets`, 'UInt256') as `assets`, cast(`shares`, 'Nullable(UInt256)') as `shares`, cast(`new_shares`, 'Nullable(UInt256)') as `new_shares`, cast(`fee`, 'Nullable(UInt256)') as `fee`, cast(`reward`, 'Nullable(UInt256)') as `reward`, `reward_token`
from file('LAKE/vault_flow/*.parquet', Parquet, '`block` Int32, `log_index` Int32, `tx_index` Int32, `timestamp` Int32, `vault` String, `kind` String, `sender` Nullable(String), `receiver` Nullable(String), `owner` Nullable(String), `assets` String, `shares` Nullable(String), `new_shares` Nullable(String), `fee` Nullable(String), `reward` Nullable(String), `reward_token` Nullable(String)');

create or replace view stake as
select toInt32(substring(cast(_file, 'String'), 12, 10)) as segment, `block`, `log_index`, `tx_index`, `timestamp`, `vault`, `protocol`, `kind`, `account`, `delegate`, cast(`amount`, 'UInt256') as `amount`, cast(`lock_seconds`, 'Nullable(UInt256)') as `lock_seconds`, `lock_id`
from file('LAKE/stake/*.parquet', Parquet, '`block` Int32, `log_index` Int32, `tx_index` Int32, `timestamp` Int32, `vault` String, `protocol` String, `kind` String, `account` String, `delegate` Nullable(String), `amount` String, `lock_seconds` Nullable(String), `lock_id` Nullable(String)');

create or replace view reward as
select toInt32(substring(cast(_file, 'String'), 12, 10)) as segment, `block`, `log_index`, `tx_index`, `timestamp`, `vault`, `protocol`, `kind`, `token`, `account`, `receiver`, cast(`amount`, 'Nullable(UInt256)') as `amount`, `validator`, cast(`next_timestamp`, 'Nullable(UInt256)') as `next_timestamp`
from file('LAKE/reward/*.parquet', Parquet, '`block` Int32, `log_index` Int32, `tx_index` Int32, `timestamp` Int32, `vault` String, `protocol` String, `kind` String, `token` Nullable(String), `account` Nullable(String), `receiver` Nullable(String), `amount` Nullable(String), `validator` Nullable(String), `next_timestamp` Nullable(String)');

create or replace view incentive as
select toInt32(substring(cast(_file, 'String'), 12, 10)) as segment, `block`, `log_index`, `tx_index`, `timestamp`, `vault`, `kind`, `token`, `account`, cast(`amount`, 'Nullable(UInt256)') as `amount`, cast(`rate`, 'Nullable(UInt256)') as `rate`, cast(`emitted`, 'Nullable(UInt256)') as `emitted`, `validator`
from file('LAKE/incentive/*.parquet', Parquet, '`block` Int32, `log_index` Int32, `tx_index` Int32, `timestamp` Int32, `vault` String, `kind` String, `token` String, `account` Nullable(String), `amount` Nullable(String), `rate` Nullable(String), `emitted` Nullable(String), `validator` Nullable(String)');

create or replace view launch_pool as
select toInt32(substring(cast(_file, 'String'), 12, 10)) as segment, `block`, `log_index`, `tx_index`, `timestamp`, `pool`, `kind`, `factory`, `implementation`, `token`, `base_token`, cast(`sqrt_pa`, 'Nullable(UInt256)') as `sqrt_pa`, cast(`sqrt_pb`, 'Nullable(UInt256)') as `sqrt_pb`, cast(`vesting_period`, 'Nullable(UInt256)') as `vesting_period`, `deployer`, `data`, cast(`token_amount`, 'Nullable(UInt256)') as `token_amount`, cast(`base_amount`, 'Nullable(UInt256)') as `base_amount`
from file('LAKE/launch_pool/*.parquet', Parquet, '`block` Int32, `log_index` Int32, `tx_index` Int32, `timestamp` Int32, `pool` String, `kind` String, `factory` Nullable(String), `implementation` Nullable(String), `token` Nullable(String), `base_token` Nullable(String), `sqrt_pa` Nullable(String), `sqrt_pb` Nullable(String), `vesting_period` Nullable(String), `deployer` Nullable(String), `data` Nullable(String), `token_amount` Nullable(String), `base_amount` Nullable(String)');

create or replace view launch_swap as
select toInt32(substring(cast(_file, 'String'), 12, 10)) as segment, `block`, `log_index`, `tx_index`, `timestamp`, `pool`, `sender`, `to`, cast(`token_in`, 'UInt256') as `token_in`, cast(`base_in`, 'UInt256') as `base_in`, cast(`token_out`, 'UInt256') as `token_out`, cast(`base_out`, 'UInt256') as `base_out`
from file('LAKE/launch_swap/*.parquet', Parquet, '`block` Int32, `log_index` Int32, `tx_index` Int32, `timestamp` Int32, `pool` String, `sender` String, `to` String, `token_in` String, `base_in` String, `token_out` String, `base_out` String');

create or replace view launch_sync as
select toInt32(substring(cast(_file, 'String'), 12, 10)) as segment, `block`, `log_index`, `tx_index`, `timestamp`, `pool`, cast(`token_reserve`, 'UInt256') as `token_reserve`, cast(`base_reserve`, 'UInt256') as `base_reserve`, cast(`sqrt_price`, 'UInt256') as `sqrt_price`
from file('LAKE/launch_sync/*.parquet', Parquet, '`block` Int32, `log_index` Int32, `tx_index` Int32, `timestamp` Int32, `pool` String, `token_reserve` String, `base_reserve` String, `sqrt_price` String');

create or replace view other_event as
select toInt32(substring(cast(_file, 'String'), 12, 10)) as segment, `block`, `log_index`, `tx_index`, `timestamp`, `contract`, `event`, `args`
from file('LAKE/other_event/*.parquet', Parquet, '`block` Int32, `log_index` Int32, `tx_index` Int32, `timestamp` Int32, `contract` String, `event` String, `args` String');

create or replace view holding_closed as
select toInt32(substring(cast(_file, 'String'), 12, 10)) as segment, `ledger`, `token`, `account`, cast(`amount`, 'UInt256') as `amount`, `from_block`, `to_block`
from file('LAKE/holding_closed/*.parquet', Parquet, '`ledger` String, `token` String, `account` String, `amount` String, `from_block` Int32, `to_block` Int32');

create or replace view holding_open as
select toInt32(substring(cast(_file, 'String'), 12, 10)) as segment, `ledger`, `token`, `account`, cast(`amount`, 'UInt256') as `amount`, `from_block`
from file('LAKE/holding_open/*.parquet', Parquet, '`ledger` String, `token` String, `account` String, `amount` String, `from_block` Int32');

create or replace view v3_pool_closed as
select toInt32(substring(cast(_file, 'String'), 12, 10)) as segment, `pool`, cast(`sqrt_price_x96`, 'UInt256') as `sqrt_price_x96`, `tick`, cast(`liquidity`, 'UInt256') as `liquidity`, cast(`fee_growth_global0_x128`, 'UInt256') as `fee_growth_global0_x128`, cast(`fee_growth_global1_x128`, 'UInt256') as `fee_growth_global1_x128`, cast(`protocol_fees0`, 'UInt256') as `protocol_fees0`, cast(`protocol_fees1`, 'UInt256') as `protocol_fees1`, `fee_protocol0`, `fee_protocol1`, `from_block`, `to_block`
from file('LAKE/v3_pool_closed/*.parquet', Parquet, '`pool` String, `sqrt_price_x96` String, `tick` Int32, `liquidity` String, `fee_growth_global0_x128` String, `fee_growth_global1_x128` String, `protocol_fees0` String, `protocol_fees1` String, `fee_protocol0` Int32, `fee_protocol1` Int32, `from_block` Int32, `to_block` Int32');

create or replace view v3_pool_open as
select toInt32(substring(cast(_file, 'String'), 12, 10)) as segment, `pool`, cast(`sqrt_price_x96`, 'UInt256') as `sqrt_price_x96`, `tick`, cast(`liquidity`, 'UInt256') as `liquidity`, cast(`fee_growth_global0_x128`, 'UInt256') as `fee_growth_global0_x128`, cast(`fee_growth_global1_x128`, 'UInt256') as `fee_growth_global1_x128`, cast(`protocol_fees0`, 'UInt256') as `protocol_fees0`, cast(`protocol_fees1`, 'UInt256') as `protocol_fees1`, `fee_protocol0`, `fee_protocol1`, `from_block`
from file('LAKE/v3_pool_open/*.parquet', Parquet, '`pool` String, `sqrt_price_x96` String, `tick` Int32, `liquidity` String, `fee_growth_global0_x128` String, `fee_growth_global1_x128` String, `protocol_fees0` String, `protocol_fees1` String, `fee_protocol0` Int32, `fee_protocol1` Int32, `from_block` Int32');

create or replace view v3_tick_closed as
select toInt32(substring(cast(_file, 'String'), 12, 10)) as segment, `pool`, `tick`, cast(`liquidity_gross`, 'UInt256') as `liquidity_gross`, cast(`liquidity_net`, 'Int256') as `liquidity_net`, cast(`fee_growth_outside0_x128`, 'UInt256') as `fee_growth_outside0_x128`, cast(`fee_growth_outside1_x128`, 'UInt256') as `fee_growth_outside1_x128`, `from_block`, `to_block`
from file('LAKE/v3_tick_closed/*.parquet', Parquet, '`pool` String, `tick` Int32, `liquidity_gross` String, `liquidity_net` String, `fee_growth_outside0_x128` String, `fee_growth_outside1_x128` String, `from_block` Int32, `to_block` Int32');

create or replace view v3_tick_open as
select toInt32(substring(cast(_file, 'String'), 12, 10)) as segment, `pool`, `tick`, cast(`liquidity_gross`, 'UInt256') as `liquidity_gross`, cast(`liquidity_net`, 'Int256') as `liquidity_net`, cast(`fee_growth_outside0_x128`, 'UInt256') as `fee_growth_outside0_x128`, cast(`fee_growth_outside1_x128`, 'UInt256') as `fee_growth_outside1_x128`, `from_block`
from file('LAKE/v3_tick_open/*.parquet', Parquet, '`pool` String, `tick` Int32, `liquidity_gross` String, `liquidity_net` String, `fee_growth_outside0_x128` String, `fee_growth_outside1_x128` String, `from_block` Int32');

create or replace view v3_position_closed as
select toInt32(substring(cast(_file, 'String'), 12, 10)) as segment, `pool`, `owner`, `tick_lower`, `tick_upper`, cast(`liquidity`, 'UInt256') as `liquidity`, cast(`fee_growth_inside0_last_x128`, 'UInt256') as `fee_growth_inside0_last_x128`, cast(`fee_growth_inside1_last_x128`, 'UInt256') as `fee_growth_inside1_last_x128`, cast(`tokens_owed0`, 'UInt256') as `tokens_owed0`, cast(`tokens_owed1`, 'UInt256') as `tokens_owed1`, `from_block`, `to_block`
from file('LAKE/v3_position_closed/*.parquet', Parquet, '`pool` String, `owner` String, `tick_lower` Int32, `tick_upper` Int32, `liquidity` String, `fee_growth_inside0_last_x128` String, `fee_growth_inside1_last_x128` String, `tokens_owed0` String, `tokens_owed1` String, `from_block` Int32, `to_block` Int32');

create or replace view v3_position_open as
select toInt32(substring(cast(_file, 'String'), 12, 10)) as segment, `pool`, `owner`, `tick_lower`, `tick_upper`, cast(`liquidity`, 'UInt256') as `liquidity`, cast(`fee_growth_inside0_last_x128`, 'UInt256') as `fee_growth_inside0_last_x128`, cast(`fee_growth_inside1_last_x128`, 'UInt256') as `fee_growth_inside1_last_x128`, cast(`tokens_owed0`, 'UInt256') as `tokens_owed0`, cast(`tokens_owed1`, 'UInt256') as `tokens_owed1`, `from_block`
from file('LAKE/v3_position_open/*.parquet', Parquet, '`pool` String, `owner` String, `tick_lower` Int32, `tick_upper` Int32, `liquidity` String, `fee_growth_inside0_last_x128` String, `fee_growth_inside1_last_x128` String, `tokens_owed0` String, `tokens_owed1` String, `from_block` Int32');

create or replace view v3_nft_closed as
select toInt32(substring(cast(_file, 'String'), 12, 10)) as segment, `manager`, cast(`token_id`, 'UInt256') as `token_id`, `pool`, `owner`, `tick_lower`, `tick_upper`, cast(`liquidity`, 'UInt256') as `liquidity`, cast(`fee_growth_inside0_last_x128`, 'UInt256') as `fee_growth_inside0_last_x128`, cast(`fee_growth_inside1_last_x128`, 'UInt256') as `fee_growth_inside1_last_x128`, cast(`tokens_owed0`, 'UInt256') as `tokens_owed0`, cast(`tokens_owed1`, 'UInt256') as `tokens_owed1`, `from_block`, `to_block`
from file('LAKE/v3_nft_closed/*.parquet', Parquet, '`manager` String, `token_id` String, `pool` String, `owner` String, `tick_lower` Int32, `tick_upper` Int32, `liquidity` String, `fee_growth_inside0_last_x128` String, `fee_growth_inside1_last_x128` String, `tokens_owed0` String, `tokens_owed1` String, `from_block` Int32, `to_block` Int32');

create or replace view v3_nft_open as
select toInt32(substring(cast(_file, 'String'), 12, 10)) as segment, `manager`, cast(`token_id`, 'UInt256') as `token_id`, `pool`, `owner`, `tick_lower`, `tick_upper`, cast(`liquidity`, 'UInt256') as `liquidity`, cast(`fee_growth_inside0_last_x128`, 'UInt256') as `fee_growth_inside0_last_x128`, cast(`fee_growth_inside1_last_x128`, 'UInt256') as `fee_growth_inside1_last_x128`, cast(`tokens_owed0`, 'UInt256') as `tokens_owed0`, cast(`tokens_owed1`, 'UInt256') as `tokens_owed1`, `from_block`
from file('LAKE/v3_nft_open/*.parquet', Parquet, '`manager` String, `token_id` String, `pool` String, `owner` String, `tick_lower` Int32, `tick_upper` Int32, `liquidity` String, `fee_growth_inside0_last_x128` String, `fee_growth_inside1_last_x128` String, `tokens_owed0` String, `tokens_owed1` String, `from_block` Int32');

create or replace view island_closed as
select toInt32(substring(cast(_file, 'String'), 12, 10)) as segment, `island`, `tick_lower`, `tick_upper`, `manager`, `manager_fee_bps`, `treasury`, cast(`manager_balance0`, 'UInt256') as `manager_balance0`, cast(`manager_balance1`, 'UInt256') as `manager_balance1`, `from_block`, `to_block`
from file('LAKE/island_closed/*.parquet', Parquet, '`island` String, `tick_lower` Int32, `tick_upper` Int32, `manager` String, `manager_fee_bps` Int32, `treasury` String, `manager_balance0` String, `manager_balance1` String, `from_block` Int32, `to_block` Int32');

create or replace view island_open as
select toInt32(substring(cast(_file, 'String'), 12, 10)) as segment, `island`, `tick_lower`, `tick_upper`, `manager`, `manager_fee_bps`, `treasury`, cast(`manager_balance0`, 'UInt256') as `manager_balance0`, cast(`manager_balance1`, 'UInt256') as `manager_balance1`, `from_block`
from file('LAKE/island_open/*.parquet', Parquet, '`island` String, `tick_lower` Int32, `tick_upper` Int32, `manager` String, `manager_fee_bps` Int32, `treasury` String, `manager_balance0` String, `manager_balance1` String, `from_block` Int32');

create or replace view v2_reserve_closed as
select toInt32(substring(cast(_file, 'String'), 12, 10)) as segment, `pair`, cast(`reserve0`, 'UInt256') as `reserve0`, cast(`reserve1`, 'UInt256') as `reserve1`, `from_block`, `to_block`
from file('LAKE/v2_reserve_closed/*.parquet', Parquet, '`pair` String, `reserve0` String, `reserve1` String, `from_block` Int32, `to_block` Int32');

create or replace view v2_reserve_open as
select toInt32(substring(cast(_file, 'String'), 12, 10)) as segment, `pair`, cast(`reserve0`, 'UInt256') as `reserve0`, cast(`reserve1`, 'UInt256') as `reserve1`, `from_block`
from file('LAKE/v2_reserve_open/*.parquet', Parquet, '`pair` String, `reserve0` String, `reserve1` String, `from_block` Int32');

create or replace view launch_curve_closed as
select toInt32(substring(cast(_file, 'String'), 12, 10)) as segment, `pool`, cast(`token_reserve`, 'UInt256') as `token_reserve`, cast(`base_reserve`, 'UInt256') as `base_reserve`, cast(`sqrt_price`, 'UInt256') as `sqrt_price`, `from_block`, `to_block`
from file('LAKE/launch_curve_closed/*.parquet', Parquet, '`pool` String, `token_reserve` String, `base_reserve` String, `sqrt_price` String, `from_block` Int32, `to_block` Int32');

create or replace view launch_curve_open as
select toInt32(substring(cast(_file, 'String'), 12, 10)) as segment, `pool`, cast(`token_reserve`, 'UInt256') as `token_reserve`, cast(`base_reserve`, 'UInt256') as `base_reserve`, cast(`sqrt_price`, 'UInt256') as `sqrt_price`, `from_block`
from file('LAKE/launch_curve_open/*.parquet', Parquet, '`pool` String, `token_reserve` String, `base_reserve` String, `sqrt_price` String, `from_block` Int32');

create or replace view tokens as
select toInt32(substring(cast(_file, 'String'), 12, 10)) as segment, `token`, `first_block`, `first_log`
from file('LAKE/tokens/*.parquet', Parquet, '`token` String, `first_block` Int32, `first_log` Int32');

create or replace view quarantine as
select toInt32(substring(cast(_file, 'String'), 12, 10)) as segment, `ledger`, `token`, `block`, `log_index`, `account`, `reason`
from file('LAKE/quarantine/*.parquet', Parquet, '`ledger` String, `token` String, `block` Int32, `log_index` Int32, `account` String, `reason` String');

create or replace view stopped as
select toInt32(substring(cast(_file, 'String'), 12, 10)) as segment, `kind`, `contract`, `block`, `log_index`, `field`, `expected`, `replayed`
from file('LAKE/stopped/*.parquet', Parquet, '`kind` String, `contract` String, `block` Int32, `log_index` Int32, `field` String, `expected` String, `replayed` String');

create or replace view prices as
select toInt32(substring(cast(_file, 'String'), 12, 10)) as segment, `hour`, `block`, `token`, cast(`usd`, 'UInt256') as `usd`, `strategy`
from file('LAKE/prices/*.parquet', Parquet, '`hour` Int32, `block` Int32, `token` String, `usd` String, `strategy` String');

create or replace view lake_segment as
select tupleElement(s, 1) as first, tupleElement(s, 2) as last, tupleElement(s, 3) as hash from (
  select arrayJoin(JSONExtract(manifest, 'segments', 'Array(Tuple(first Int32, last Int32, hash String))')) as s
  from file('LAKE/manifest.json', RawBLOB, 'manifest String'));
