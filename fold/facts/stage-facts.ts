// Copies the changes of a range of final blocks out of Ponder's tables into a temporary table of ours. Final facts are
// immutable, so the slow part, folding them, can run later without holding any of Ponder's locks.
import type { Sql } from "postgres";
import type { BlocksAfter, BlocksAfterSql } from "../../core/blocks-after.ts";
import { blockColumn, everyFactTable, foldedTables } from "../../core/fact-tables.ts";
import type { AdditiveLedger } from "../../core/ledgers/additive-ledger.ts";
import { ledgersMovedBy } from "../../core/ledgers/registry.ts";
import { quoted } from "../tables.ts";
import type { Schemas } from "./fact-source.ts";
import { READ_FACTS, tablesWithFacts, withFacts } from "./facts-reader.ts";

/** Facts of one kind per batch: as large as the backlog allows, up to here. */
const BATCH_FACTS = 250_000;

/**
 * The last whole block such that (after, block] holds at most `limit` facts of each of `tables` in `schema` (quoted); at
 * least one block.
 */
export async function cutAt(
  db: Sql,
  schema: string,
  range: BlocksAfter & { limit: number; tables: readonly string[] },
): Promise<number> {
  const { after, upTo, limit, tables } = range;
  if (upTo === after + 1) return upTo;
  const cuts = tables.map(
    (table) =>
      `(select block from ${schema}.${quoted(table)} where block > ${after} and block <= ${upTo} order by block offset ${limit} limit 1)`,
  );
  const [row] = await db.unsafe(`select least(${cuts.join(", ")}) as block`);
  return row?.block == null ? upTo : Math.max(row.block - 1, after + 1);
}

/** The last block of `range` that one batch takes, and the tables that have facts up to there. */
export const nextBatch = (
  db: Sql,
  ponderSchema: string,
  range: BlocksAfter,
): Promise<{ upTo: number; touched: ReadonlySet<string> }> =>
  withFacts(db, ponderSchema, async () => {
    const schema = quoted(ponderSchema);
    const upTo = await cutAt(db, schema, { ...range, limit: BATCH_FACTS, tables: foldedTables });
    return { upTo, touched: await tablesWithFacts(db, schema, { after: range.after, upTo }) };
  });

/** SQL that stages the changes of `ledger`'s facts; rows of quarantined tokens are dropped, unknown assets kept by key. */
function stageLedger(ledger: AdditiveLedger, schemas: Schemas, range: BlocksAfterSql): string {
  const s = quoted(schemas.fold);
  return `
    with assets as materialized (
      select a.id, a.kind, '0x' || encode(a.key, 'hex') as key, q.asset is not null as is_out
        from ${s}.asset a left join ${s}.quarantine q on q.asset = a.id)
    insert into staged
    select d.block, d.log_index, a.id, case when a.id is null then d.kind end,
           case when a.id is null then decode(substr(d.key, 3), 'hex') end, decode(substr(d.account, 3), 'hex'), d.delta
      from (${ledger.deltas(quoted(schemas.ponder), { ...range, fold: s })}) d
      left join assets a on a.kind = d.kind and a.key = d.key
     where a.is_out is not true
       and (d.kind <> 'supply' or d.account not in (select key from assets where is_out and kind = 'erc20'))`;
}

/**
 * Fills temp table `staged(block, log_index, asset, kind, key, account, delta)` with the changes of the blocks of `range`;
 * resolves to the number of facts read. `asset` is null, and kind and key are set, for assets that the fold has not met yet. `touched`: the
 * tables that have facts there; undefined: any.
 */
export async function stageFacts(
  db: Sql,
  schemas: Schemas,
  range: BlocksAfter & { touched?: ReadonlySet<string> },
): Promise<number> {
  const { touched = new Set(everyFactTable) } = range;
  const moving = ledgersMovedBy(touched);
  const tables = everyFactTable.filter((table) => touched.has(table));
  await db.unsafe(`create temp table if not exists staged (
    block int4 not null, log_index int4 not null, asset int4, kind text, key bytea, account bytea not null, delta numeric not null)`);
  await db.unsafe("truncate staged");
  const schema = quoted(schemas.ponder);
  let done = range.after;
  let facts = 0;
  while (done < range.upTo) {
    const read = await withFacts(db, schemas.ponder, async () => {
      const bounds = { after: done, upTo: range.upTo };
      const upTo = await cutAt(db, schema, { ...bounds, limit: READ_FACTS, tables: foldedTables });
      for (const ledger of moving) await db.unsafe(stageLedger(ledger, schemas, { after: done, upTo }));
      const counts = tables.map((table) => {
        const column = blockColumn(table);
        return `(select count(*) from ${schema}.${quoted(table)} where ${column} > ${done} and ${column} <= ${upTo})`;
      });
      const [row] = await db.unsafe(`select (${["0", ...counts].join(" + ")})::int as facts`);
      return { upTo, facts: Number(row?.facts ?? 0) };
    });
    done = read.upTo;
    facts += read.facts;
  }
  return facts;
}
