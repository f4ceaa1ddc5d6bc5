// Writes many rows into a table, or into the two final tables of a history.
import type { Sql } from "postgres";
import { durationClass } from "../../core/history/duration-class.ts";

export interface Row {
  values: readonly (string | number | bigint)[];
  /** The interval's blocks; without `to` it has not ended. */
  from?: number;
  to?: number | undefined;
}

const ROWS_PER_STATEMENT = 5_000;

const literal = (value: string | number | bigint): string => (typeof value === "string" ? `'${value}'` : String(value));

/** Rows with blocks go into `<table>_interval` and `<table>_current`, others into `table` itself. */
export async function rowsInto(
  db: Sql,
  { table, columns }: { table: string; columns: readonly string[] },
  rows: readonly Row[],
): Promise<void> {
  const plain = rows.filter(({ from }) => from === undefined);
  const ended = rows.filter(({ to }) => to !== undefined);
  const held = rows.filter(({ from, to }) => from !== undefined && to === undefined);
  await insert(
    db,
    `${table} (${columns.join(", ")})`,
    plain.map(({ values }) => values),
  );
  const span = ({ from = 0, to = 0, values }: Row) => [...values, from, to, durationClass(to - from)];
  await insert(db, `${table}_interval (${columns.join(", ")}, from_block, to_block, lvl)`, ended.map(span));
  await insert(
    db,
    `${table}_current (${columns.join(", ")}, since)`,
    held.map(({ from = 0, values }) => [...values, from]),
  );
}

async function insert(db: Sql, into: string, rows: readonly Row["values"][]): Promise<void> {
  for (let i = 0; i < rows.length; i += ROWS_PER_STATEMENT) {
    const some = rows.slice(i, i + ROWS_PER_STATEMENT).map((row) => `(${row.map(literal).join(", ")})`);
    await db.unsafe(`insert into ${into} values ${some.join(", ")}`);
  }
}
