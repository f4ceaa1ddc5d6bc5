// The fold's copies of facts. Blocks that may still be replaced are copied out of Ponder's tables once, and everything is worked
// out from the copies: Ponder may cut its own rows back at any time.
import type { Sql } from "postgres";
import type { BlocksAfter } from "../../core/blocks-after.ts";
import { blockColumn, everyFactTable, registryTables } from "../../core/fact-tables.ts";
import { quoted, recentSchema } from "../tables.ts";
import type { Schemas } from "./fact-source.ts";

/** Other facts than those of registries lose their copies once their block is final, as Ponder's rows stay. */
const isRegistry = (table: string): boolean => registryTables.includes(table);

/** Kinds of facts besides blocks. */
export const eventTables: readonly string[] = everyFactTable.filter((table) => table !== "block");

/** What is looked up in the copies, besides by block: what an address is, and the newest swaps of a pool. */
const lookups: readonly { table: string; columns: readonly string[] }[] = [
  { table: "v3_pool_created", columns: ["pool"] },
  { table: "v2_pair_created", columns: ["pair"] },
  { table: "island_created", columns: ["island"] },
  { table: "island_created", columns: ["pool"] },
  { table: "vault_created", columns: ["vault"] },
  { table: "launch_pool", columns: ["pool"] },
  { table: "launch_pool", columns: ["token"] },
  { table: "v3_swap", columns: ["pool", "block", "log_index"] },
  { table: "v2_swap", columns: ["pair", "block", "log_index"] },
  { table: "launch_swap", columns: ["pool", "block", "log_index"] },
];

/** Some of Ponder's tables may have such an index already (fact-indexes.ts): it was copied under this name then. */
const lookupsDdl = (copies: string): string =>
  lookups
    .map(({ table, columns }) => {
      const name = [table, ...columns, "idx"].join("_");
      return `create index if not exists ${name} on ${copies}.${table} (${columns.join(", ")});`;
    })
    .join("\n");

/**
 * DDL of the copies, and of a view for each kind of fact in the fold's own schema: it shows the facts of every block that is
 * folded, and of none besides. `fact_count`: how many facts were copied of each block that is not final.
 */
export function recentFactsDdl(foldSchema: string, ponderSchema: string): string {
  const [s, r, p] = [foldSchema, recentSchema(foldSchema), ponderSchema].map(quoted);
  const tables = everyFactTable.map((table) => {
    const copy = `create table ${r}.${table} (like ${p}.${table} including indexes)
      with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000);`;
    const view = isRegistry(table)
      ? `select * from ${r}.${table}`
      : `select * from ${p}.${table} where block <= (select finalized from ${s}.meta)
         union all select * from ${r}.${table}`;
    return `${copy}
      create view ${s}.${table} as ${view};`;
  });
  return `create schema ${r}; ${tables.join("\n")} ${lookupsDdl(quoted(recentSchema(foldSchema)))}
    create table ${r}.fact_count (block int4 primary key, total int4 not null, by_table text not null);`;
}

/**
 * Copies registry facts, which are needed of all blocks, from final facts with `after` < block <= `upTo`, inside the caller's
 * transaction. `touched`: the tables that have some; undefined: any.
 */
export async function copyRegistries(
  db: Sql,
  schemas: Schemas,
  { after, upTo, touched }: BlocksAfter & { touched?: ReadonlySet<string> },
): Promise<void> {
  const [p, r] = [quoted(schemas.ponder), quoted(recentSchema(schemas.fold))];
  for (const table of registryTables.filter((name) => touched?.has(name) !== false)) {
    const column = blockColumn(table);
    await db.unsafe(`insert into ${r}.${table}
      select * from ${p}.${table} where ${column} > ${after} and ${column} <= ${upTo} on conflict do nothing`);
  }
}

/** Deletes copies of final blocks where Ponder's own rows are enough. */
export const dropFinalCopies = (foldSchema: string, finalized: number): string =>
  [...everyFactTable.filter((table) => !isRegistry(table)), "fact_count"]
    .map((table) => `delete from ${quoted(recentSchema(foldSchema))}.${table} where block <= ${finalized}`)
    .join(";\n");

/** Deletes the copies of all blocks after `block`. */
export const dropCopiesAfter = (foldSchema: string, block: number): string =>
  everyFactTable
    .map((table) => `delete from ${quoted(recentSchema(foldSchema))}.${table} where ${blockColumn(table)} > ${block}`)
    .join(";\n");
