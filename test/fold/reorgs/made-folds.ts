// Folds without anything in them.
import type { Sql } from "postgres";
import { createFold, dropFoldDdl, type FoldIdentity } from "../../../fold/fold-schema.ts";
import { foldIndexesDdl, quoted, recentSchema } from "../../../fold/tables.ts";

export async function makeFold(sql: Sql, identity: FoldIdentity): Promise<void> {
  await sql.unsafe(`set client_min_messages = error; ${dropFoldDdl(identity.foldSchema)}`);
  await createFold(sql, identity, { buildId: "fixture", factOid: "0" });
  await sql.unsafe(foldIndexesDdl(identity.foldSchema));
  await sql.unsafe(`update ${quoted(identity.foldSchema)}.meta set is_indexed = true`);
}

/** As {@link makeFold} leaves it, but much faster where it is there already. */
export async function emptyFold(sql: Sql, foldSchema: string): Promise<void> {
  const s = quoted(foldSchema);
  const tables = await sql`
    select table_schema || '.' || table_name as name from information_schema.tables
     where table_schema in ${sql([foldSchema, recentSchema(foldSchema)])} and table_type = 'BASE TABLE'
       and table_name not in ('meta', 'asset', 'farm_progress')`;
  await sql.unsafe(
    [
      ...tables.map(({ name }) => `delete from ${name}`),
      `delete from ${s}.asset where id <> 0`,
      `update ${s}.meta set finalized = first_block - 1, head = first_block - 1, folded_facts = 0`,
    ].join(";\n"),
  );
}
