// Holdings of assets whose rows the fold has deleted. A file must not depend on when it is written: a file of blocks before an asset
// broke has the rows that the asset had then, made again from the same facts by the same ledgers.
import type { Sql } from "postgres";
import type { BlocksAfter } from "../core/blocks-after.ts";
import { everyFactTable } from "../core/fact-tables.ts";
import { lakeColumn } from "../core/lake/columns.ts";
import { ledgers } from "../core/ledgers/registry.ts";
import type { Holding } from "../core/lookthrough/backing.ts";
import { READ_FACTS, withFacts } from "../fold/facts/facts-reader.ts";
import { cutAt } from "../fold/facts/stage-facts.ts";
import { quoted } from "../fold/tables.ts";
import type { LedgerAsset } from "../gateway/history/ledger-asset.ts";
import type { FinalIndex } from "./read-index.ts";

/** In the staged rows of a history: the row belongs to no segment that reaches this block. */
export const UNTIL = lakeColumn("until_block", "integer");

const ledgerFacts = [...new Set(ledgers.flatMap(({ facts }) => facts))].sort(
  (a, b) => everyFactTable.indexOf(a) - everyFactTable.indexOf(b),
);

/**
 * Fills temp table `remade` of the session with the changes, before they broke, of assets that broke in a final block after
 * `after`. Resolves to the SELECT text of their holdings, with {@link UNTIL}; undefined: there are none.
 */
export async function remadeText(
  db: Sql,
  { ponderSchema, foldSchema, finalized }: FinalIndex,
  after: number,
): Promise<string | undefined> {
  const s = quoted(foldSchema);
  await db.unsafe("drop table if exists broken, remade");
  await db.unsafe(`
    create temp table broken as
    select a.kind, '0x' || encode(a.key, 'hex') as key, a.first_block, q.block
      from ${s}.quarantine q join ${s}.asset a on a.id = q.asset
     where q.block > ${after} and q.block <= ${finalized} and a.first_block < q.block`);
  await db.unsafe(`create temp table remade (
    kind text not null, key text not null, account text not null, block int4 not null, until int4 not null, delta numeric not null)`);
  const [range] = await db.unsafe("select min(first_block) as first, max(block) as last from broken");
  if (range?.first == null) return undefined;
  const upTo = Number(range.last) - 1;
  for (let done = Number(range.first) - 1; done < upTo; )
    done = await withFacts(db, ponderSchema, () => stage(db, ponderSchema, { after: done, upTo, fold: s }));
  return `
    select kind, case when kind = 'supply' or key = '0x' then '' else key end, account, amount::text, block, next_block, until
      from (select c.*, lead(block) over (partition by kind, key, account order by block) as next_block
              from (select kind, key, account, until, block,
                           sum(sum(delta)) over (partition by kind, key, account order by block) as amount
                      from remade group by kind, key, account, until, block having sum(delta) <> 0) c) v
     where amount <> 0`;
}

/** Assets whose holdings are wanted at the end of a block of a segment that ends with `last`; without an account: all its holders. */
export interface RemadeInput {
  assets: readonly (LedgerAsset & { account?: string })[];
  block: number;
  last: number;
}

/**
 * Who holds how much, by place in `assets`, for those that broke after `last` and whose changes {@link remadeText} has filled in.
 * The others are missing.
 */
export async function remadeHoldings(
  db: Sql,
  { assets, block, last }: RemadeInput,
): Promise<ReadonlyMap<number, readonly Holding[]>> {
  const column = (of: (one: RemadeInput["assets"][number]) => string) => assets.map(of).join(",");
  const rows = await db.unsafe<{ place: number; account: string | null; amount: string | null }[]>(
    `select u.place::int4 as place, r.account, sum(r.delta)::text as amount
       from unnest(string_to_array($1, ','), string_to_array($2, ','), string_to_array($3, ','))
            with ordinality as u(kind, key, account, place)
       join broken b on b.kind = case when u.kind = 'supply' then 'erc20' else u.kind end
                    and b.key = case when u.kind = 'supply' then u.account else u.key end
       left join remade r on r.kind = u.kind and r.key = u.key and r.block <= $4::int4 and (coalesce(u.account, '') = '' or r.account = u.account)
      where b.block > $5::int4
      group by u.place, r.account`,
    [column(({ kind }) => kind), column(({ key }) => key), column(({ account = "" }) => account), block, last],
  );
  const found = new Map<number, Holding[]>();
  for (const { place, account, amount } of rows) {
    const held = found.get(place - 1) ?? [];
    found.set(place - 1, held);
    if (account !== null && amount !== null && amount !== "0") held.push({ account, amount: BigInt(amount) });
  }
  return found;
}

/** Resolves to the last block whose changes are staged. */
async function stage(
  db: Sql,
  ponderSchema: string,
  { fold, ...range }: BlocksAfter & { fold: string },
): Promise<number> {
  const schema = quoted(ponderSchema);
  const upTo = await cutAt(db, schema, { ...range, limit: READ_FACTS, tables: ledgerFacts });
  const bounds = { after: String(range.after), upTo: String(upTo), fold };
  // the supply of a token goes with it
  for (const ledger of ledgers)
    await db.unsafe(`
      insert into remade
      select d.kind, d.key, d.account, d.block, b.block, d.delta
        from (${ledger.deltas(schema, bounds)}) d
        join broken b on b.kind = case when d.kind = 'supply' then 'erc20' else d.kind end
                     and b.key = case when d.kind = 'supply' then d.account else d.key end
       where d.block < b.block`);
  return upTo;
}
