// Rows and bytes of every table of a schema, indexes, maps and TOAST included.
import type { Sql } from "postgres";

export interface TableSize {
  rows: number;
  bytes: number;
}

export type TableSizes = Record<string, TableSize>;

/** By `<label>.<table>`; Ponder's own bookkeeping, which is pruned at finality, is left out. */
export async function tableSizes(sql: Sql, { schema, label }: { schema: string; label: string }): Promise<TableSizes> {
  const tables = await sql`
    select c.relname as name, pg_total_relation_size(c.oid)::float8 as bytes from pg_class c
     where c.relnamespace = ${schema}::regnamespace and c.relkind = 'r' and c.relname !~ '^_(ponder|reorg)'`;
  const sizes: TableSizes = {};
  for (const { name, bytes } of tables) {
    const [row] = await sql.unsafe(`select count(*)::float8 as n from "${schema}"."${name}"`);
    sizes[`${label}.${name}`] = { rows: Number(row?.n), bytes: Number(bytes) };
  }
  return sizes;
}

/** Ponder's copy of the chain, the facts and the fold of one index. */
export async function indexSizes(sql: Sql, schemas: { facts: string; fold: string }): Promise<TableSizes> {
  const labels = { raw: "ponder_sync", ...schemas };
  const all: TableSizes = {};
  for (const [label, schema] of Object.entries(labels)) Object.assign(all, await tableSizes(sql, { schema, label }));
  return all;
}

export const rowsOf = (sizes: TableSizes, table: string): number => sizes[table]?.rows ?? 0;
export const bytesOf = (sizes: TableSizes, table: string): number => sizes[table]?.bytes ?? 0;

/** @throws Error when the table is empty: nothing can be said about its rows */
export function bytesPerRow(sizes: TableSizes, table: string): number {
  const size = sizes[table];
  if (!size || size.rows === 0) throw new Error(`table ${table} has no rows to measure`);
  return size.bytes / size.rows;
}

/** Sum over all tables whose name fits. */
export function sumOver(sizes: TableSizes, fits: (table: string) => boolean): TableSize {
  const found = Object.entries(sizes).filter(([table]) => fits(table));
  return found.reduce((sum, [, size]) => ({ rows: sum.rows + size.rows, bytes: sum.bytes + size.bytes }), {
    rows: 0,
    bytes: 0,
  });
}
