// Holdings of blocks that are not final: the ledgers' changes as versions, in two statements however many blocks.
import type { Sql } from "postgres";
import type { BlocksAfter } from "../../core/blocks-after.ts";
import { SUPPLY_ASSET } from "../../core/ledgers/additive-ledger.ts";
import { ledgersMovedBy } from "../../core/ledgers/registry.ts";
import { isOfBroken, isOutOfRange, quarantine } from "../holdings/quarantine.ts";

interface Place {
  /** Quoted names of the fold's schema and of the one with its copies of facts. */
  s: string;
  recent: string;
}

/**
 * Writes the versions of blocks in `range` inside the caller's transaction, from the copies of their facts; `touched`: the
 * tables that have any. A token whose amount leaves the range of a uint256 at the end of a block is quarantined there: what
 * it had before stays until that block is final.
 */
export async function foldRecentHoldings(
  db: Sql,
  { s, recent }: Place,
  { range, touched }: { range: BlocksAfter; touched: ReadonlySet<string> },
): Promise<{ changes: number; quarantined: number }> {
  const moving = ledgersMovedBy(touched);
  if (moving.length === 0) return { changes: 0, quarantined: 0 };
  const deltas = moving.map((ledger) => `(${ledger.deltas(recent, { ...range, fold: s })})`).join(" union all ");
  const [row] = await db.unsafe(versionsText(s, deltas));
  const quarantined = row?.is_broken === true ? await quarantineRecent(db, s, { deltas, range }) : 0;
  return { changes: Number(row?.changes ?? 0), quarantined };
}

const KEY = "decode(substr(d.key, 3), 'hex')";
const ACCOUNT = "decode(substr(d.account, 3), 'hex')";

/**
 * CTEs of the changes and their assets: `d`, the changes; `met`, the assets by kind and key with their ids, null where one is new;
 * `added`, the new ones, numbered in order of first appearance like those of final history; `assets`, all of them. An
 * asset is looked up once, however often it moves.
 */
const assetsText = (s: string, deltas: string): string => `
  d as materialized (${deltas}),
  met as materialized (
    select kind, key, seen, (select a.id from ${s}.asset a where a.kind = d.kind and a.key = ${KEY}) as id
      from (select kind, key, min((block::int8 << 32) | log_index) as seen from d group by kind, key) d),
  added as (
    insert into ${s}.asset (id, kind, key, first_block, first_log)
    select nextval('${s}.asset_id')::int4, kind, ${KEY}, (seen >> 32)::int4, (seen & 4294967295)::int4
      from (select kind, key, seen from met where id is null order by seen, kind, key) d
    returning id, kind, '0x' || encode(key, 'hex') as key),
  assets as (select id, kind, key from met where id is not null union all select id, kind, key from added)`;

/** (asset, account, block, log_index, delta) of assets that are not quarantined. `changesOfAssets`: FROM items `d` and `a`, joined. */
const movesText = (s: string, changesOfAssets: string): string => `
  select a.id as asset, ${ACCOUNT} as account, d.block, d.log_index, d.delta
    from ${changesOfAssets}
   where a.id not in (select asset from ${s}.quarantine)
     and (a.id <> ${SUPPLY_ASSET} or ${ACCOUNT} not in (
       select t.key from ${s}.quarantine q join ${s}.asset t on t.id = q.asset where t.kind = 'erc20'))`;

/** What an account has of an asset before the blocks that are folded: its newest version. */
const priorText = (s: string): string => `
  coalesce((select r.amount from ${s}.holding_recent r where r.asset = m.asset and r.account = m.account
             order by r.block desc limit 1),
           (select c.amount from ${s}.holding_current c where c.asset = m.asset and c.account = m.account), 0)`;

/** Nothing is joined to what moved: the planner does not know how much that is. */
const versionsText = (s: string, deltas: string): string => `
  with ${assetsText(s, deltas)},
  moved as materialized (
    select asset, account, block, sum(sum(delta)) over (partition by asset, account order by block) as delta
      from (${movesText(s, "d join assets a using (kind, key)")}) m
     group by asset, account, block having sum(delta) <> 0),
  written as (
    insert into ${s}.holding_recent (asset, account, block, amount)
    select m.asset, m.account, m.block, ${priorText(s)} + m.delta from moved m
    returning amount)
  select count(*)::int as changes, coalesce(bool_or(${isOutOfRange("w")}), false) as is_broken from written w`;

async function quarantineRecent(
  db: Sql,
  s: string,
  { deltas, range }: { deltas: string; range: BlocksAfter },
): Promise<number> {
  const recent = `${s}.holding_recent`;
  const broken = await quarantine(db, s, {
    amounts: `(select * from ${recent} where block > ${range.after} and block <= ${range.upTo})`,
    // on its own, as the planner does not know how many these are
    changes: `(${movesText(s, `(${deltas}) d join ${s}.asset a on a.kind = d.kind and a.key = ${KEY}`)} offset 0)`,
    unmerged: recent,
  });
  await db.unsafe(
    `delete from ${recent} h using ${s}.quarantine q join ${s}.asset t on t.id = q.asset
      where q.asset = any($1::int4[]) and h.block >= q.block and ${isOfBroken("h")}`,
    [broken],
  );
  return broken.length;
}
