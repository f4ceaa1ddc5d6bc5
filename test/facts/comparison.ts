// Fact tables against the chain's logs: of every table and kind, logs without a row and rows without a log.
import type { Sql } from "postgres";
import type { ChainFile } from "../../chains/chain-file.ts";
import { type ChainLog, logsOf, type Rule, rules } from "./census.ts";

export interface FactTables {
  sql: Sql;
  /** Ponder's schema. */
  schema: string;
}

/** Rules by the table and kind that their logs become. */
const shelves = new Map<string, Rule[]>();
for (const rule of rules) {
  const shelf = [rule.table, rule.kind ?? ""].join(" ");
  shelves.set(shelf, [...(shelves.get(shelf) ?? []), rule]);
}

/** `block/log index` of every row, sorted as text. */
export async function placesIn({ sql, schema }: FactTables, table: string, kind?: string): Promise<string[]> {
  const rows = await sql`select block || '/' || log_index as place from ${sql(schema)}.${sql(table)}
    ${kind ? sql`where kind = ${kind}` : sql``}`;
  return rows.map(({ place }) => String(place)).sort();
}

/** Empty when rows and logs are the same in every table. */
export async function factDifferences(
  tables: FactTables,
  chain: ChainFile,
  logs: readonly ChainLog[],
): Promise<string[]> {
  const found: string[] = [];
  for (const [shelf, [first, ...others]] of shelves) {
    if (first === undefined) continue;
    const expected = [first, ...others].flatMap((rule) => logsOf(rule, chain, logs));
    // A vault that is listed and announced is there by two rules, with one log.
    const wanted = [...new Set(expected)].sort();
    const rows = await placesIn(tables, first.table, first.kind);
    if (JSON.stringify(rows) !== JSON.stringify(wanted))
      found.push(`${shelf}: ${wanted.length} logs, ${rows.length} rows`);
  }
  return found;
}
