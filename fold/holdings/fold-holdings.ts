// Folds staged changes into closed intervals and current rows, in sets, inside the caller's transaction.
// Every result depends on the facts alone, never on where a batch was cut: ids are given in order of first appearance
// and a quarantined token loses all its rows.
import type { Sql } from "postgres";
import { holdings } from "../../core/history/histories.ts";
import { SUPPLY_ASSET } from "../../core/ledgers/additive-ledger.ts";
import { besideNext, byBlock, mergeText } from "../history/merge.ts";
import { quoted } from "../tables.ts";
import { dropHistory, isOfBroken, isOutOfRange, quarantine } from "./quarantine.ts";

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
  const broken = await quarantine(db, s, { amounts: "run", changes: "staged", unmerged: "run" });
  await dropHistory(db, s, broken);
  await db.unsafe(
    `delete from run r using ${s}.quarantine q join ${s}.asset t on t.id = q.asset where ${isOfBroken("r")}`,
  );
  const { changes: written } = await writeHoldings(db, s, "run");
  return { changes: written, quarantined: broken.length };
}
