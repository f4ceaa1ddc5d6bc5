// Two folds held against each other, row for row; ids by what they name, as they are never given twice.
import type { Sql } from "postgres";
import { everyFactTable } from "../../../core/fact-tables.ts";
import { rowsAt } from "../../../core/history/as-of.ts";
import { histories } from "../../../core/history/histories.ts";
import { quoted, recentSchema } from "../../../fold/tables.ts";

/** What readers of the chain write by themselves, and what differs from fold to fold. */
const NOT_FOLDED = /^(token|island_settings|v3_pool_fee|farm_.*)(_retry)?$|^farm_/;

const assetOf = (s: string, id: string) =>
  `(select a.kind || ' ' || encode(a.key, 'hex') from ${s}.asset a where a.id = ${id})`;
const poolOf = (s: string, id: string) => `(select encode(p.address, 'hex') from ${s}.v3_pool p where p.id = ${id})`;
const islandOf = (s: string, id: string) => `(select encode(i.address, 'hex') from ${s}.island i where i.id = ${id})`;

/** SQL of a row of `table` as JSON, with names in place of ids. */
function namedRow(s: string, table: string, row: string): string {
  const json = `to_jsonb(${row})`;
  if (table === "meta")
    return `jsonb_build_object('finalized', ${row}.finalized, 'head', ${row}.head, 'facts', ${row}.folded_facts)`;
  if (table === "waiting") return `${json} - 'since'`;
  if (["asset", "v3_pool", "island"].includes(table)) return `${json} - 'id'`;
  if (/^(holding|holder$|quarantine$)/.test(table))
    return `${json} || jsonb_build_object('asset', ${assetOf(s, `${row}.asset`)})`;
  if (/^v3_(pool|tick|position|nft)_/.test(table))
    return `${json} || jsonb_build_object('pool', ${poolOf(s, `${row}.pool`)})`;
  if (/^island_(current|interval|recent)$/.test(table))
    return `${json} || jsonb_build_object('island', ${islandOf(s, `${row}.island`)})`;
  return json;
}

export interface Difference {
  table: string;
  /** In which of the two. */
  side: string;
  row: string;
}

const MOST_SHOWN = 4;

const differenceText = (table: string, ours: string, theirs: string): string => {
  const side = (name: string, a: string, b: string) =>
    `(select '${table}' as "table", '${name}' as side, r::text as row from (${a} except all ${b}) d(r) limit ${MOST_SHOWN})`;
  return `${side("followed", ours, theirs)} union all ${side("fresh", theirs, ours)}`;
};

async function foldTables(sql: Sql, schema: string): Promise<string[]> {
  const rows = await sql`
    select table_name from information_schema.tables where table_schema = ${schema} and table_type = 'BASE TABLE' order by 1`;
  return rows.map(({ table_name }) => String(table_name)).filter((table) => !NOT_FOLDED.test(table));
}

interface Folds {
  followed: string;
  fresh: string;
}

/**
 * Every table of both folds, the copies of facts, and the views of facts up to the head; `besideWaiting`: of islands that wait
 * in the followed one nothing is compared.
 */
export async function foldDifferences(
  sql: Sql,
  { followed, fresh }: Folds,
  { besideWaiting = false } = {},
): Promise<Difference[]> {
  const [a, b] = [quoted(followed), quoted(fresh)];
  const isWaiting = (row: string) => `exists (select from ${a}.island w
    where w.waiting_block is not null and ${row}::text like '%' || encode(w.address, 'hex') || '%')`;
  const text = (s: string, table: string) => {
    const rows = `select ${namedRow(s, table, "t")} as r from ${s}.${table} t`;
    return besideWaiting && /^island/.test(table) ? `select r from (${rows}) n where not ${isWaiting("n.r")}` : rows;
  };
  const own = (await foldTables(sql, followed)).map((table) => differenceText(table, text(a, table), text(b, table)));
  const [ra, rb] = [quoted(recentSchema(followed)), quoted(recentSchema(fresh))];
  const fact = (s: string, table: string) => `select to_jsonb(t) from ${s}.${table} t`;
  const copies = [...everyFactTable, "fact_count"].map((table) =>
    differenceText(`copies of ${table}`, fact(ra, table), fact(rb, table)),
  );
  const views = everyFactTable.map((table) => differenceText(`view of ${table}`, fact(a, table), fact(b, table)));
  return (await sql.unsafe([...own, ...copies, ...views].join(" union all "))) as unknown as Difference[];
}

/** The state of every kind of history at the end of `blocks`; of tokens that are quarantined nothing is compared. */
export async function stateDifferences(sql: Sql, folds: Folds, blocks: readonly number[]): Promise<Difference[]> {
  const s = quoted(folds.followed);
  const broken = `select encode(a.key, 'hex') from ${s}.quarantine q join ${s}.asset a on a.id = q.asset`;
  const state = (schema: string, table: string, block: number) => {
    const fold = quoted(schema);
    const history = histories.find(({ name }) => name === table)!;
    const named = `select ${namedRow(fold, `${table}_current`, "t")} as r from (${rowsAt(history, { fold, block: String(block) })}) t`;
    if (table !== "holding") return named;
    return `select r from (${named}) n where split_part(r->>'asset', ' ', 2) not in (${broken})
      and not (r->>'asset' = 'supply ' and substr(r->>'account', 3) in (${broken}))`;
  };
  const texts = blocks.flatMap((block) =>
    histories.map(({ name }) =>
      differenceText(`${name} at ${block}`, state(folds.followed, name, block), state(folds.fresh, name, block)),
    ),
  );
  return (await sql.unsafe(texts.join(" union all "))) as unknown as Difference[];
}
