// Tokens with impossible events: at the end of a block an amount is below zero or past 2^256-1. Such a token holds nothing from that
// block on, and has no history at all once the block is final.
import type { Sql } from "postgres";
import { SUPPLY_ASSET } from "../../core/ledgers/additive-ledger.ts";
import { MAX_UINT256 } from "../../core/math/fixed-point.ts";
import { raiseRevision } from "../revision.ts";

/** SQL condition: no uint256 has the amount of `row`. */
export const isOutOfRange = (row: string): string => `(${row}.amount < 0 or ${row}.amount > ${MAX_UINT256})`;

/** SQL condition: `row` is of the quarantined asset `t` of `q`, or the supply of that token. Other assets have tokens for keys too. */
export const isOfBroken = (row: string): string =>
  `(${row}.asset = q.asset or (${row}.asset = ${SUPPLY_ASSET} and t.kind = 'erc20' and ${row}.account = t.key))`;

/** FROM items. */
interface FoldedChanges {
  /** (asset, account, block, amount) at the ends of the blocks that are folded, impossible ones included. */
  amounts: string;
  /** (asset, account, block, log_index, delta) of each log of these blocks. */
  changes: string;
  /** (asset, account, block) of changes that are not history yet. */
  unmerged: string;
}

/**
 * Quarantines the tokens whose `amounts` are out of range; resolves to their assets. The log named is the first one of that block after
 * which the running amount is out of range (the block's last change of the account, if only their sum is). It is unfounded when the
 * account had received nothing before: perhaps that happened before the first block that is indexed.
 */
export async function quarantine(db: Sql, s: string, { amounts, changes, unmerged }: FoldedChanges): Promise<number[]> {
  const broken = await db.unsafe<{ asset: number }[]>(`
    with out_of_range as (
      select case when r.asset = ${SUPPLY_ASSET} then t.id else r.asset end as token, r.*
        from ${amounts} r left join ${s}.asset t on r.asset = ${SUPPLY_ASSET} and t.kind = 'erc20' and t.key = r.account
       where ${isOutOfRange("r")}),
    first_block as (
      select * from (select *, rank() over (partition by token order by block) as nth from out_of_range) ranked where nth = 1),
    at_logs as (
      select f.token, d.log_index,
             f.amount - sum(d.delta) over (partition by f.token, f.asset, f.account) + sum(d.delta) over by_log as amount,
             bool_or(d.delta > 0) over by_log as has_received, f.amount as amount_after, f.asset, f.account, f.block
        from first_block f join ${changes} d on d.asset = f.asset and d.account = f.account and d.block = f.block
      window by_log as (partition by f.token, f.asset, f.account order by d.log_index))
    insert into ${s}.quarantine (asset, block, log_index, account, reason, is_unfounded)
    select distinct on (token) token, block, log_index, account,
           case when asset = ${SUPPLY_ASSET} then 'supply ' else 'balance ' end
             || case when amount_after < 0 then 'below zero' else 'past 2^256-1' end,
           l.asset <> ${SUPPLY_ASSET} and l.amount < 0 and not l.has_received
             and not exists (select from ${s}.holder h where h.asset = l.asset and h.account = l.account)
             and not exists (select from ${unmerged} e where e.asset = l.asset and e.account = l.account and e.block < l.block)
      from at_logs l where sign(l.amount_after) = sign(l.amount) and ${isOutOfRange("l")}
     order by token, log_index, asset desc, account
    on conflict do nothing returning asset`);
  return broken.map(({ asset }) => asset);
}

/** Deletes all that is stored of `assets`, which are quarantined. */
export async function dropHistory(db: Sql, s: string, assets: readonly number[]): Promise<void> {
  if (assets.length === 0) return;
  for (const table of ["holding_current", "holding_interval", "holding_recent"])
    await db.unsafe(
      `delete from ${s}.${table} h using ${s}.quarantine q join ${s}.asset t on t.id = q.asset
        where q.asset = any($1::int4[]) and ${isOfBroken("h")}`,
      [[...assets]],
    );
  await db.unsafe(`delete from ${s}.holder where asset = any($1::int4[])`, [[...assets]]);
  await raiseRevision(db, s);
}
