// DDL of the as-of tables of islands: what decides the worth of their shares, by the end of every block in which it
// changed, and what was read from the chain for it.
import { islands } from "../../core/history/histories.ts";
import { STOP_COLUMNS } from "../stops.ts";
import { historyTables, historyTablesDdl } from "./history.ts";
import { retryTableDdl } from "./retry.ts";

/** The tables that grow with the facts, and so need vacuuming. */
export const islandHistoryTables: readonly string[] = historyTables(islands);

/**
 * `s` is the fold's quoted schema. `island_interval` rows held by the end of `from_block` up to and including
 * `to_block - 1`, `island_current` rows since the end of `since`. `island` numbers islands in the order of creation.
 * - `stopped_*`: the fact at which events contradicted each other; the island's rows end before it.
 * - `waiting_block`: the block whose settings are not read yet; the island's rows end before it, until it catches up.
 * - `undetermined_block`: the first block at which neither events nor the node give range or fee; rows show for which blocks
 *   that is so (a fee of -1, both ends of a range -2^31).
 * - `island_settings`: range, fee and treasury at the end of a block whose events leave them open; null where nothing determines them.
 */
export const islandTablesDdl = (s: string): string => `
create table ${s}.island (
  id int4 primary key, address bytea not null unique, pool bytea not null, token0 bytea not null, token1 bytea not null,
  created_block int4 not null, created_log int4 not null,
  ${STOP_COLUMNS},
  waiting_block int4, undetermined_block int4);
create index on ${s}.island (waiting_block) where coalesce(waiting_block, undetermined_block) is not null;
create index on ${s}.island (token0);
create index on ${s}.island (token1);
create index on ${s}.island (pool);
create table ${s}.island_settings (
  address bytea not null, block int4 not null, block_hash text not null,
  tick_lower int4, tick_upper int4, manager_fee_bps int4, treasury bytea,
  primary key (address, block, block_hash));
create sequence ${s}.island_id as int4;
${retryTableDdl(s, "island_settings_retry")}
${historyTablesDdl(s, islands, { fillfactor: 70 })}`;
