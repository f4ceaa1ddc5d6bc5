// Writes a batch's changes into the as-of tables, in sets, inside the caller's transaction.
import type { Sql } from "postgres";
import { durationClassSql } from "../../core/history/duration-class.ts";
import { type V3RowKind, v3KeyColumns } from "../../core/v3/stored-rows.ts";
import { copyRows } from "../copy-rows.ts";
import { type ChangeLog, rowKinds, valueColumns } from "./change-log.ts";

/** From here on the planner should know how many rows it joins. */
const MANY_ROWS = 2_000;

/** Temporary tables of the session for last rows; they empty themselves at every commit. */
export async function prepareChanges(db: Sql, s: string): Promise<void> {
  for (const kind of rowKinds) {
    await db.unsafe(`
      create temp table if not exists v3_${kind}_changed (
        like ${s}.v3_${kind}_current, first_block int4 not null, is_ended bool not null) on commit delete rows`);
  }
}

async function writeKind(db: Sql, s: string, { kind, log }: { kind: V3RowKind; log: ChangeLog }): Promise<number> {
  const latest = log.takeLatest(kind);
  if (latest.count === 0) return 0;
  const keys = v3KeyColumns[kind];
  const values = valueColumns[kind];
  const changed = `v3_${kind}_changed`;
  const current = `${s}.v3_${kind}_current`;
  const intervals = `${s}.v3_${kind}_interval (${[...keys, "from_block", "to_block", "lvl", ...values].join(", ")})`;
  const columnsOf = (table: string, columns: readonly string[]) =>
    columns.map((column) => `${table}.${column}`).join(", ");
  const isSame = keys.map((key) => `c.${key} = n.${key}`).join(" and ");

  await copyRows(db, `${changed} (${[...keys, "first_block", "since", "is_ended", ...values].join(", ")})`, latest);
  if (latest.count > MANY_ROWS) await db.unsafe(`analyze ${changed}`);
  const ended = await db.unsafe(`
    insert into ${intervals}
    select ${columnsOf("c", keys)}, c.since, n.first_block, ${durationClassSql("n.first_block - c.since")}, ${columnsOf("c", values)}
      from ${changed} n join ${current} c on ${isSame}`);
  const closed = log.takeClosed(kind);
  await copyRows(db, intervals, closed);
  await db.unsafe(`
    delete from ${current} c using ${changed} n where n.is_ended and ${isSame};
    insert into ${current} (${[...keys, "since", ...values].join(", ")})
    select ${columnsOf("n", [...keys, "since", ...values])} from ${changed} n where not n.is_ended
    on conflict (${keys.join(", ")}) do update
      set ${["since", ...values].map((column) => `${column} = excluded.${column}`).join(", ")}`);
  return ended.count + closed.count + latest.count;
}

/** Closes intervals and renews current rows of all entities in `log`, which is empty afterwards; returns the rows written. */
export async function writeChanges(db: Sql, s: string, log: ChangeLog): Promise<number> {
  let rows = 0;
  for (const kind of rowKinds) rows += await writeKind(db, s, { kind, log });
  return rows;
}
