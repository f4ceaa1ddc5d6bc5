// What must hold of a fold at every moment, whatever has happened before.
import type { Sql } from "postgres";
import { blockColumn, everyFactTable, registryTables } from "../../../core/fact-tables.ts";
import { histories } from "../../../core/history/histories.ts";
import { quoted, recentSchema } from "../../../fold/tables.ts";

/** Columns of blocks in tables that are no histories. */
const PLACES: Readonly<Record<string, readonly string[]>> = {
  asset: ["first_block"],
  quarantine: ["block"],
  v3_pool: ["created_block", "stopped_block"],
  island: ["created_block", "stopped_block"],
};

/** Sentences that say which rule is broken. */
export async function brokenRules(sql: Sql, { fold, ponder }: { fold: string; ponder: string }): Promise<string[]> {
  const [s, r, p] = [quoted(fold), quoted(recentSchema(fold)), quoted(ponder)];
  const isAny = (sentence: string, rows: string) => `select '${sentence}' as sentence where exists (${rows})`;
  const above = (name: string, table: string, column: string) =>
    isAny(`${name}: rows above the head`, `select from ${table} t, ${s}.meta m where t.${column} > m.head`);
  const rules = [
    isAny(
      "the head has no block",
      `select from ${s}.meta m where not exists (select from ${s}.block b where b.number = m.head)`,
    ),
    isAny("blocks are missing", `select from ${s}.block having count(*) <> max(number) - min(number) + 1`),
    isAny(
      "Ponder is ahead and the head is not its block",
      `select from ${s}.meta m where (select max(number) from ${p}.block) >= m.head and not exists (
         select from ${s}.block o join ${p}.block t on t.number = o.number and t.hash = o.hash
          where o.number = (select max(number) from ${p}.block) and o.number = m.head)`,
    ),
    isAny(
      "a block is another one than Ponder has",
      `select from ${s}.block o join ${p}.block t on t.number = o.number and t.hash <> o.hash`,
    ),
    isAny(
      "metadata of a token were read in a block that is another one now",
      `select from ${s}.token t left join ${s}.block b on b.number = t.read_at_block where b.hash is distinct from t.symbol`,
    ),
    ...histories.flatMap(({ name }) => [
      above(name, `${s}.${name}_recent`, "block"),
      isAny(
        `${name}: recent rows that are final`,
        `select from ${s}.${name}_recent t, ${s}.meta m where t.block <= m.finalized`,
      ),
      isAny(
        `${name}: final rows that are not`,
        `select from ${s}.${name}_current t, ${s}.meta m where t.since > m.finalized`,
      ),
    ]),
    ...Object.entries(PLACES).flatMap(([table, columns]) =>
      columns.map((column) => above(table, `${s}.${table}`, column)),
    ),
    above("numbers of facts", `${r}.fact_count`, "block"),
    ...everyFactTable.map((table) => above(`copies of ${table}`, `${r}.${table}`, blockColumn(table))),
    ...everyFactTable
      .filter((table) => !registryTables.includes(table))
      .map((table) =>
        isAny(
          `${table}: copies that are final`,
          `select from ${r}.${table} t, ${s}.meta m where t.block <= m.finalized`,
        ),
      ),
  ];
  const rows = await sql.unsafe(rules.join(" union all "));
  return rows.map(({ sentence }) => String(sentence));
}
