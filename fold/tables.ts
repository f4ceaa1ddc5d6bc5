// DDL of the fold's own schema and of `tidemark`, the small schema that outlives folds. The gateway reads these tables, and
// by the texts below which schemas are live.
import { isAnyCurrent, isAnyInterval } from "../core/history/group-indexes.ts";
import { histories, holdings } from "../core/history/histories.ts";
import { prunedDdl } from "../core/history/pruned.ts";
import { reportedStates } from "../core/reported/reported-state.ts";
import { farmTablesDdl } from "./tables/farm.ts";
import { historyTablesDdl, intervalByKeyDdl } from "./tables/history.ts";
import { islandTablesDdl } from "./tables/island.ts";
import { v3IndexesDdl, v3TablesDdl } from "./tables/v3.ts";

/** Identifier quoting for schema names that we build ourselves. */
export const quoted = (identifier: string): string => `"${identifier.replaceAll('"', '""')}"`;

/** In `tidemark.part`: once a process has lived this long, earlier deaths no longer count. */
export const LONG_LIVED_SECONDS = 30;

/** Name of the schema with the fold's copies of facts, which is dropped with the fold's own. */
export const recentSchema = (foldSchema: string): string => `${foldSchema}_recent`;

/**
 * `tidemark`: what a deployment must remember across redeploys and dropped folds. One row per chain.
 * - `live`: which schemas gateways read; the fold flips it. Read it in the same snapshot as everything else.
 * - `build`: every index that was made here, and when: of two that are both written, gateways read the newer one.
 * - `chain_head`: `chain_head` is the RPC's head as last polled; `highest_head` the highest block ever shown or seen.
 * - `reorg`: blocks that were replaced, only for people to read.
 * - `instance`: which chain instance the database holds (ponder_sync is keyed by chain id alone).
 * - `chain_stop`: the node has another block in place of a final one; both branches are the same up to `fork`.
 * - `unproven_blooms`: why this chain's blooms are not compared with logs, and since which block; Ponder's process writes it.
 * - `token_flag`: what `verify` found out about tokens whose balanceOf drifts from their events.
 * - `part`: signs of life of the processes that write an index: see process/part-record.ts. Its few pages are never filled, so that a full
 *   disk can be reported, too.
 * - `pruned`: blocks whose intervals are only in the history lake: see core/history/pruned.ts.
 */
export const deploymentDdl = `
create schema if not exists tidemark;
create table if not exists tidemark.live (
  chain_id int8 primary key, ponder_schema text not null, fold_schema text not null, since timestamptz not null default now());
create table if not exists tidemark.build (
  chain_id int8 not null, ponder_schema text not null, fold_schema text not null,
  since timestamptz not null default now(), primary key (chain_id, fold_schema));
create table if not exists tidemark.chain_head (
  chain_id int8 primary key, chain_head int4 not null, highest_head int4 not null,
  rpc_error text, updated_at timestamptz not null default now());
create table if not exists tidemark.reorg (
  chain_id int8 not null, block int4 not null, hash text not null, depth int4 not null,
  seen_at timestamptz not null default now(), primary key (chain_id, block, hash));
create table if not exists tidemark.instance (
  chain_id int8 primary key, instance text not null, since timestamptz not null default now());
create table if not exists tidemark.chain_stop (
  chain_id int8 primary key, block int4 not null, ours text not null, theirs text not null, fork int4 not null,
  since timestamptz not null default now());
create table if not exists tidemark.unproven_blooms (
  chain_id int8 primary key, reason text not null, block int4, since timestamptz not null default now());
create table if not exists tidemark.token_flag (
  chain_id int8 not null, token bytea not null, flag text not null, block int4 not null, detail text not null,
  primary key (chain_id, token, flag));
create table if not exists tidemark.part (
  chain_id int8 not null, part text not null, schema text not null,
  started_at timestamptz not null, beat_at timestamptz not null, due_at timestamptz not null, ended_at timestamptz,
  deaths int4 not null default 0, error text, waits_for text, behind_since timestamptz,
  primary key (chain_id, part, schema)) with (fillfactor = 20);
${prunedDdl}`;

/**
 * One fold: closed intervals, current rows and duration classes of what is final, and versions of newer blocks (see
 * docs/schema.md). All amounts are raw units. `meta.head` is the last block that is answered, `meta.finalized` the last one
 * whose rows are in the large tables; `meta.rewinds` how often blocks were taken back. Ids come from sequences: one that was given is never given again.
 * `holding_interval` rows are immutable and never zero: `amount` was held by the end of `from_block` up to and
 * including `to_block - 1`; a gap means zero. `holding_current` holds only amounts > 0, held since the end of `since`.
 * Asset 0 is the supply ledger: its accounts are token addresses. `waiting` names what a step of the fold waits for before it can
 * fold `block`. `missing_history` names contracts of the chain file whose beginning is not among the facts, with the first fact
 * that shows it. `quarantine.is_unfounded`: the account named had received nothing before that log.
 */
export const foldTablesDdl = (schema: string): string => {
  const s = quoted(schema);
  return `
create schema if not exists ${s};
create table ${s}.meta (
  one bool primary key default true check (one),
  chain_id int8 not null, ponder_schema text not null, ponder_build_id text not null, fact_oid oid not null,
  sources text, first_block int4 not null, finalized int4 not null, head int4 not null, is_indexed bool not null default false,
  revision int8 not null default 0, rewinds int4 not null default 0,
  folded_facts int8 not null default 0, updated_at timestamptz not null default now()) with (fillfactor = 20);
create sequence ${s}.asset_id as int4;
create table ${s}.asset (
  id int4 primary key, kind text not null, key bytea not null, first_block int4 not null, first_log int4 not null,
  unique (kind, key));
insert into ${s}.asset values (0, 'supply', '', 0, 0);
${historyTablesDdl(s, holdings, { fillfactor: 70 })}create index on ${s}.holding_recent (account);
create table ${s}.holder (account bytea not null, asset int4 not null, primary key (account, asset));
create table ${s}.quarantine (
  asset int4 primary key, block int4 not null, log_index int4 not null, account bytea not null, reason text not null,
  is_unfounded bool not null default false);
create table ${s}.weth9 (token text primary key);
create table ${s}.erc4626 (token text primary key);
create table ${s}.missing_history (
  contract bytea primary key, kind text not null, block int4 not null, log_index int4 not null, reason text not null);
create table ${s}.token (
  address bytea primary key, name text, symbol text, decimals int2, read_at_block int4 not null, problem text);
create table ${s}.token_retry (
  address bytea primary key, attempts int4 not null, failures int4 not null, last_error text not null,
  next_try timestamptz not null);
create table ${s}.waiting (
  step text primary key, block int4 not null, reason text not null, since timestamptz not null default now());
${v3TablesDdl(s)}${islandTablesDdl(s)}${farmTablesDdl(s)}${reportedStates.map(({ history }) => historyTablesDdl(s, history, { fillfactor: 70 })).join("")}`;
};

/** Built after the first bulk load; covering, so that reads are index-only once vacuumed. */
export const foldIndexesDdl = (schema: string): string => {
  const s = quoted(schema);
  return `${histories.map((history) => intervalByKeyDdl(s, history)).join("")}
create index if not exists holding_interval_by_class on ${s}.holding_interval
  (asset, lvl, from_block, to_block, account, amount) where ${isAnyInterval()};
create index if not exists holding_current_by_since on ${s}.holding_current (asset, since, account, amount)
  where ${isAnyCurrent()};
${v3IndexesDdl(s)}`;
};

/** Which schemas gateways read, as the fold has pointed them. */
export interface LiveSchemas {
  /** Of Ponder's own tables, which the gateway's raw-facts.ts alone reads. */
  facts: string;
  fold: string;
}

/** SELECT list of {@link LiveSchemas} of a row `l` of `tidemark.live`. */
export const LIVE_COLUMNS = "l.ponder_schema as facts, l.fold_schema as fold";

/** SELECT text of {@link LiveSchemas}; without a row while the fold has not pointed gateways anywhere yet. */
export const liveText = (chainId: number): string =>
  `select ${LIVE_COLUMNS} from tidemark.live l where l.chain_id = ${chainId}`;

/**
 * SELECT text of one number from 0 to 1, null without an index: how much of Ponder's 32-bit numbers for rows that may be replaced
 * is used up.
 */
export const rowNumbersUsedText = (chainId: number): string => `
  select max(last_value / 2147483647.0)::float8 from pg_catalog.pg_sequences
   where schemaname = (select ponder_schema from tidemark.live where chain_id = ${chainId})`;
