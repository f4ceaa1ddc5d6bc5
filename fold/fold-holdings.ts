// Folds staged changes into closed intervals and current rows, in sets, inside the caller's transaction.
// Every result depends on the facts alone, never on where a batch was cut: ids are given in order of first appearance
// and a quarantined token loses all its rows.
import type { Sql } from "postgres";
import { holdings } from "../core/history/histories.ts";
import { MAX_AMOUNT, SUPPLY_ASSET } from "../core/ledgers/additive-ledger.ts";
import { besideNext, byBlock, mergeText } from "./history/merge.ts";
import { raiseRevision } from "./revision.ts";
import { quoted } from "./tables.ts";

/** Numbers the assets met for the first time, in order of first appearance. */
async function addAssets(db: Sql, s: string): Promise<void> {
  await db.unsafe(`
    analyze staged;
    insert into ${s}.asset (id, kind, key, first_block, first_log)
    select nextval('${s}.asset_id')::int4, kind, key, (seen >> 32)::int4, (seen & 4294967295)::int4
      from (select kind, key, min((block::int8 << 32) | log_index) as seen from staged where asset is null
             group by kind, key order by seen, kind, key) first_seen;
    update staged d set asset = a.id from ${s}.asset a where d.asset is null and a.kind = d.kind and a.key = d.key`);
}

/**
 * SELECT text of the net change of each (asset, account) per block, the amount after it, and what a merge needs. One sort serves
 * grouping and windows.
 */
const changesText = (s: string): string => `
    select c.asset, c.account, c.block, c.delta, c.next_block, c.is_first, cur.ctid as place, cur.since, cur.amount as held_amount,
           case when cur.amount is null then c.running else cur.amount + c.running end as amount
      from (select asset, account, block, sum(delta) as delta, sum(sum(delta)) over by_block as running,
                   ${besideNext}
              from staged x group by asset, account, block having sum(delta) <> 0
            ${byBlock(holdings, "x")}) c
      left join ${s}.holding_current cur on cur.asset = c.asset and cur.account = c.account`;

/** SQL condition: no uint256 has the amount of `row`. */
export const isOutOfRange = (row: string): string => `(${row}.amount < 0 or ${row}.amount > ${MAX_AMOUNT})`;

/** SQL condition: `row` is of the quarantined asset `t` of `q`, or the supply of that token. Other assets have tokens for keys too. */
export const isOfBroken = (row: string): string =>
  `(${row}.asset = q.asset or (${row}.asset = ${SUPPLY_ASSET} and t.kind = 'erc20' and ${row}.account = t.key))`;

/**
 * SQL condition on the broken row `l`: its account had received nothing before. `earlier` has the changes of blocks before that
 * are not history yet.
 */
export const isUnfounded = (s: string, earlier: string): string => `
  l.asset <> ${SUPPLY_ASSET} and l.amount < 0 and not l.has_received
    and not exists (select from ${s}.holder h where h.asset = l.asset and h.account = l.account)
    and not exists (select from ${earlier} e where e.asset = l.asset and e.account = l.account and e.block < l.block)`;

/**
 * Quarantines tokens whose end-of-block amount goes below zero or past 2^256-1. The log named is the first one of that
 * block after which the running amount is out of range (the block's last change of the account, if only their sum is). It is
 * unfounded when the account had received nothing before: perhaps that happened before the first block that is indexed.
 */
async function quarantineBroken(db: Sql, s: string): Promise<number> {
  const broken = await db.unsafe(`
    with out_of_range as (
      select case when r.asset = ${SUPPLY_ASSET} then t.id else r.asset end as token, r.*
        from run r left join ${s}.asset t on r.asset = ${SUPPLY_ASSET} and t.kind = 'erc20' and t.key = r.account
       where ${isOutOfRange("r")}),
    first_block as (
      select * from (select *, rank() over (partition by token order by block) as nth from out_of_range) ranked where nth = 1),
    at_logs as (
      select f.token, d.log_index, f.amount - f.delta
             + sum(d.delta) over by_log as amount, bool_or(d.delta > 0) over by_log as has_received,
             f.amount as amount_after, f.asset, f.account, f.block
        from first_block f
        join staged d on d.asset = f.asset and d.account = f.account and d.block = f.block
      window by_log as (partition by f.token, f.asset, f.account order by d.log_index))
    insert into ${s}.quarantine (asset, block, log_index, account, reason, is_unfounded)
    select distinct on (token) token, block, log_index, account,
           case when asset = ${SUPPLY_ASSET} then 'supply ' else 'balance ' end
             || case when amount_after < 0 then 'below zero' else 'past 2^256-1' end,
           ${isUnfounded(s, "run")}
      from at_logs l where sign(l.amount_after) = sign(l.amount) and ${isOutOfRange("l")}
     order by token, log_index, asset desc, account
    on conflict do nothing returning asset`);
  if (broken.length === 0) return 0;
  for (const table of ["holding_current", "holding_interval"]) {
    await db.unsafe(
      `
      delete from ${s}.${table} h using ${s}.quarantine q join ${s}.asset t on t.id = q.asset
       where q.asset = any($1::int4[]) and ${isOfBroken("h")}`,
      [broken.map((row) => row.asset)],
    );
  }
  await db.unsafe(`
    delete from ${s}.holder h using ${s}.quarantine q where h.asset = q.asset;
    delete from run r using ${s}.quarantine q join ${s}.asset t on t.id = q.asset
     where ${isOfBroken("r")}`);
  await raiseRevision(db, s);
  return broken.length;
}

/** Records which accounts have ever held which assets, so that all assets of an account can be found. */
export const addHolders = (s: string, versions: string): string => `
  insert into ${s}.holder (account, asset)
  select distinct account, asset from ${versions} where asset <> ${SUPPLY_ASSET} on conflict do nothing`;

/** Merges `changes`, a FROM item as {@link changesText} gives it; resolves to their number, and whether an amount is out of range. */
async function writeHoldings(db: Sql, s: string, changes: string): Promise<{ changes: number; isBroken: boolean }> {
  const [row] = await db.unsafe(
    mergeText(s, {
      ...{ history: holdings, versions: changes },
      beside: `holders as (${addHolders(s, "(select account, asset from v where is_first and place is null) new_holders")}),`,
      extraColumns: `, coalesce(bool_or(${isOutOfRange("v")}), false) as is_broken`,
    }),
  );
  return { changes: Number(row?.versions ?? 0), isBroken: row?.is_broken === true };
}

/** Folds everything in `staged`; returns how many (asset, account, block) changes were written and tokens quarantined. */
export async function foldHoldings(db: Sql, foldSchema: string): Promise<{ changes: number; quarantined: number }> {
  const s = quoted(foldSchema);
  // Sizes matter to the plans below, distributions do not: a sample of 600 rows instead of 30,000.
  await db.unsafe("set local default_statistics_target = 2");
  await addAssets(db, s);
  // Hardly ever is anything out of range. Only then do the changes get a table of their own, to be looked through before they are merged.
  await db.unsafe("set local enable_hashagg = off; savepoint unbroken");
  const { changes, isBroken } = await writeHoldings(db, s, `(${changesText(s)})`);
  if (!isBroken) {
    await db.unsafe("set local enable_hashagg = on");
    return { changes, quarantined: 0 };
  }
  await db.unsafe(`
    rollback to savepoint unbroken;
    create temp table run on commit drop as ${changesText(s)};
    set local enable_hashagg = on;
    analyze run`);
  const quarantined = await quarantineBroken(db, s);
  const written = await writeHoldings(db, s, "run");
  return { changes: written.changes, quarantined };
}
