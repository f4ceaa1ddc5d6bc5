// Takes one entity back to the end of a final block, its merged history included: for when something is learnt about it much later.
import type { Sql } from "postgres";
import { type History, keyColumns, listed, valueColumns } from "../../core/history/history.ts";

/** The version that held at the end of `before - 1` is the current one again. Inside the caller's transaction; `s` is the fold's quoted schema. */
export async function cutEntity(
  db: Sql,
  s: string,
  { history, key, before }: { history: History; key: Readonly<Record<string, number>>; before: number },
): Promise<void> {
  const table = `${s}.${history.name}`;
  const isKey = keyColumns(history)
    .map((column) => `${column} = ${Number(key[column])}`)
    .join(" and ");
  const columns = [...keyColumns(history), ...valueColumns(history)];
  const block = String(Number(before));
  await db.unsafe(`delete from ${table}_recent where ${isKey} and block >= ${block}`);
  await db.unsafe(`delete from ${table}_current where ${isKey} and since >= ${block}`);
  await db.unsafe(`
    with later as (delete from ${table}_interval where ${isKey} and to_block >= ${block} returning *)
    insert into ${table}_current (${listed(columns)}, since)
    select ${listed(columns)}, from_block from later where from_block < ${block}`);
}
