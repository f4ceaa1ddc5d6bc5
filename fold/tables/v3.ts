// DDL of the as-of tables of Uniswap v3: the contracts' storage by the end of every block in which it changed.
import { isAnyCurrent, isAnyInterval, isLiveClaim } from "../../core/history/group-indexes.ts";
import { v3Nfts, v3Pools, v3Positions, v3Ticks } from "../../core/history/histories.ts";
import { STOP_COLUMNS } from "../stops.ts";
import { historyTables, historyTablesDdl } from "./history.ts";
import { retryTableDdl } from "./retry.ts";

/** The v3 tables that grow with the facts, and so need vacuuming. */
export const v3HistoryTables: readonly string[] = [v3Pools, v3Ticks, v3Positions, v3Nfts].flatMap(historyTables);

/**
 * `s` is the fold's quoted schema. `_interval` rows held by the end of `from_block` up to and including `to_block - 1`,
 * `_current` rows since the end of `since`. `v3_pool` numbers pools in the order of their creation.
 * - `initial_fee_protocol0/1`: null until a kodiak pool is initialised.
 * - `stopped_*`: the fact at which replay and events first differ; the pool's rows end before it.
 * - `v3_pool_fee`: the protocol fee of kodiak pools right after `initialize`, in the block named, by its
 *   hash; `source` is `slot0` or `event` where the chain gave it, `chain-file` where the node has the block but not its state.
 * - `v3_position_*` keep zero positions, as the contract does; ended ticks and burnt token ids have no current row.
 */
export const v3TablesDdl = (s: string): string => `
create table ${s}.v3_pool (
  id int4 primary key, address bytea not null unique, factory bytea not null, token0 bytea not null, token1 bytea not null,
  fee int4 not null, tick_spacing int4 not null, flavour text not null, manager bytea not null,
  created_block int4 not null, created_log int4 not null,
  initial_fee_protocol0 int4, initial_fee_protocol1 int4,
  ${STOP_COLUMNS});
create sequence ${s}.v3_pool_id as int4;
create index on ${s}.v3_pool (token0);
create index on ${s}.v3_pool (token1);
create table ${s}.v3_pool_fee (
  address bytea not null, fee_protocol0 int4 not null, fee_protocol1 int4 not null,
  read_at_block int4 not null, block_hash text not null, source text not null, primary key (address, block_hash));
${retryTableDdl(s, "v3_pool_fee_retry")}
${historyTablesDdl(s, v3Pools, { fillfactor: 50 })}${historyTablesDdl(s, v3Ticks, { fillfactor: 70 })}${[v3Positions, v3Nfts].map((history) => historyTablesDdl(s, history)).join("")}`;

/**
 * Built after the first bulk load: by pool and duration class for all of a pool at one block, where positions and token ids
 * worth nothing are left out (see {@link isLiveClaim}); by owner.
 */
export const v3IndexesDdl = (s: string): string => `
create index if not exists v3_tick_interval_by_class on ${s}.v3_tick_interval (pool, lvl, from_block, to_block)
  where ${isAnyInterval()};
create index if not exists v3_position_interval_by_class on ${s}.v3_position_interval (pool, lvl, from_block, to_block)
  where ${isLiveClaim()};
create index if not exists v3_position_interval_by_owner on ${s}.v3_position_interval (owner, to_block) where ${isAnyInterval()};
create index if not exists v3_position_current_by_pool on ${s}.v3_position_current (pool, since) where ${isLiveClaim()};
create index if not exists v3_position_current_by_owner on ${s}.v3_position_current (owner) where ${isAnyCurrent()};
create index if not exists v3_nft_interval_by_class on ${s}.v3_nft_interval (pool, lvl, from_block, to_block) where ${isLiveClaim()};
create index if not exists v3_nft_interval_by_owner on ${s}.v3_nft_interval (owner, to_block) where ${isAnyInterval()};
create index if not exists v3_nft_current_by_pool on ${s}.v3_nft_current (pool, since) where ${isLiveClaim()};
create index if not exists v3_nft_current_by_owner on ${s}.v3_nft_current (owner) where ${isAnyCurrent()};
create index if not exists v3_position_recent_by_owner on ${s}.v3_position_recent (owner);
create index if not exists v3_nft_recent_by_owner on ${s}.v3_nft_recent (owner);
create index if not exists v3_nft_recent_by_pool on ${s}.v3_nft_recent (pool);
`;
