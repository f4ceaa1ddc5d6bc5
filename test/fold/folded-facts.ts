// Folds a list of facts with the product's own fold, in batches cut where the caller says, and reads back what it left.
import type { ReservedSql, Sql } from "postgres";
import type { Schemas } from "../../fold/facts/fact-source.ts";
import { stageFacts } from "../../fold/facts/stage-facts.ts";
import { foldHoldings } from "../../fold/holdings/fold-holdings.ts";
import { foldIndexesDdl, foldTablesDdl, quoted } from "../../fold/tables.ts";
import { emptySchema } from "../support/emptied-schema.ts";
import { createFactTables, insertBlocks, insertFacts } from "../support/index-fixture.ts";
import type { Fact } from "../support/reference-ledger.ts";

export const FOLDED_TABLES = ["asset", "holding_current", "holding_interval", "holder", "quarantine"] as const;
export type FoldedTables = Record<(typeof FOLDED_TABLES)[number], string[]>;

export async function writeFacts(sql: Sql, schema: string, { facts, head }: { facts: readonly Fact[]; head: number }) {
  if (!(await emptySchema(sql, schema))) await createFactTables(sql, schema);
  await insertBlocks(sql, schema, { from: 0, to: head });
  await insertFacts(sql, schema, facts);
}

/** `cuts`: last block of each batch, ascending, the final one included. */
export async function foldInBatches(db: ReservedSql, schemas: Schemas, cuts: readonly number[]): Promise<void> {
  if (!(await emptySchema(db, schemas.fold)))
    await db.unsafe(`${foldTablesDdl(schemas.fold)}${foldIndexesDdl(schemas.fold)}`);
  let finalized = -1;
  for (const cut of cuts) {
    await stageFacts(db, schemas, { after: finalized, upTo: cut });
    await db.unsafe("begin");
    await foldHoldings(db, schemas.fold);
    await db.unsafe("commit");
    finalized = cut;
  }
}

/** Every row of every table as text, sorted: equal tables give equal lists, whatever the order of writing. */
export async function readFolded(db: ReservedSql, foldSchema: string): Promise<FoldedTables> {
  const tables = {} as FoldedTables;
  for (const table of FOLDED_TABLES) {
    const rows = await db.unsafe(`select t::text as row from ${quoted(foldSchema)}.${table} t order by 1`);
    tables[table] = rows.map(({ row }) => String(row));
  }
  return tables;
}
