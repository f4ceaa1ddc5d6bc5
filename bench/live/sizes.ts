// Bytes of a fold that has followed many blocks, compared with those of one that is built again with the same rows.
import type { Sql } from "postgres";
import { everyFactTable } from "../../core/fact-tables.ts";
import { histories } from "../../core/history/histories.ts";
import { createFold } from "../../fold/fold-schema.ts";
import { v3HistoryTables } from "../../fold/tables/v3.ts";
import { recentSchema } from "../../fold/tables.ts";
import { finishLoad } from "../../fold/upkeep/index-load.ts";
import { FOLD, type Ground } from "./ground.ts";

const FRESH = `${FOLD}_fresh`;

/** Bytes with indexes and maps. */
export interface SizeFigures {
  block: number;
  catalogs: number;
  /** Final history. */
  large: number;
  /** Versions that are not final. */
  recent: number;
  copies: number;
}

const groupOf = (name: string): "recent" | "large" => (name.endsWith("_recent") ? "recent" : "large");

/** Bytes of each table of `schema` with its indexes. */
async function tablesOf(sql: Sql, schema: string): Promise<Map<string, number>> {
  const rows = await sql<{ name: string; bytes: number }[]>`
    select c.relname as name, pg_total_relation_size(c.oid)::float8 as bytes
      from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.relkind = 'r' and n.nspname = ${schema}`;
  return new Map(rows.map(({ name, bytes }) => [name, bytes]));
}

const sumOf = (sizes: Iterable<number>): number => [...sizes].reduce((sum, bytes) => sum + bytes, 0);

/** `schema`: a fold's. */
export async function sizesAt({ ponder }: Ground, block: number, schema = FOLD): Promise<SizeFigures> {
  const tables = await tablesOf(ponder, schema);
  const of = (group: "recent" | "large") =>
    sumOf([...tables].flatMap(([name, bytes]) => (groupOf(name) === group ? [bytes] : [])));
  const copies = await tablesOf(ponder, recentSchema(schema));
  const catalogs = sumOf((await tablesOf(ponder, "pg_catalog")).values());
  return { block, catalogs, large: of("large"), recent: of("recent"), copies: sumOf(copies.values()) };
}

/** Bytes of tables and indexes, each with that of a freshly built one. */
export type Growth = Record<string, { bytes: number; fresh: number }>;

async function growth({ ponder }: Ground): Promise<Growth> {
  const rows = await ponder<{ name: string; bytes: number; fresh: number }[]>`
    select a.relname as name, pg_relation_size(a.oid)::float8 as bytes, pg_relation_size(b.oid)::float8 as fresh
      from pg_class a join pg_class b using (relname)
     where a.relnamespace = ${FOLD}::regnamespace and b.relnamespace = ${FRESH}::regnamespace
       and a.relkind in ('r', 'i') and pg_relation_size(a.oid) > 1000000 order by 2 desc`;
  return Object.fromEntries(rows.map(({ name, ...sizes }) => [name, sizes]));
}

/** Writes the rows in the order of a first load, and builds the indexes afterwards, as a first load does. */
export async function freshSizes(ground: Ground, block: number): Promise<{ fresh: SizeFigures; growth: Growth }> {
  const { ponder, identity } = ground;
  const copy = (table: string, order = "") =>
    ponder.unsafe(`insert into ${FRESH}${table} select * from ${FOLD}${table} ${order} on conflict do nothing`);
  await createFold(ponder, { ...identity, foldSchema: FRESH }, { buildId: "bench", factOid: "0" });
  await ponder.unsafe("set work_mem = '512MB'; set synchronous_commit = off");
  for (const { name } of histories) {
    await copy(`.${name}_interval`, "order by to_block");
    await copy(`.${name}_current`, "order by since");
    await copy(`.${name}_recent`, "order by block");
  }
  for (const table of ["asset", "holder", "v3_pool"]) await copy(`.${table}`);
  for (const table of [...everyFactTable, "fact_count"]) await copy(`_recent.${table}`);
  await finishLoad([ponder], { foldSchema: FRESH, stepTables: v3HistoryTables });
  return { fresh: await sizesAt(ground, block, FRESH), growth: await growth(ground) };
}
