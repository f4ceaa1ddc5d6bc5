// The tables of facts or of a fold as they were made: emptying the few that have rows is much quicker than making all of them.
import type { Sql } from "postgres";
import { quoted } from "../../fold/tables.ts";

/** What making the tables writes into them. */
const FIRST_ROWS: Readonly<Record<string, (table: string) => string>> = {
  asset: (table) => `delete from ${table} where id <> 0`,
  farm_progress: (table) => `update ${table} set read_up_to = -1`,
};

/** Whether there is such a schema. */
export async function emptySchema(sql: Pick<Sql, "unsafe">, schema: string): Promise<boolean> {
  const found = await sql.unsafe(
    `select c.relname as name, c.relkind as kind, pg_relation_size(c.oid) > 0 as filled
       from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = $1 and c.relkind in ('r', 'S')`,
    [schema],
  );
  const statements = found.flatMap(({ name, kind, filled }) => {
    const place = `${quoted(schema)}.${quoted(name)}`;
    if (kind === "S") return [`alter sequence ${place} restart`];
    return filled ? [FIRST_ROWS[name]?.(place) ?? `delete from ${place}`] : [];
  });
  await sql.unsafe(statements.join(";\n"));
  return found.length > 0;
}
