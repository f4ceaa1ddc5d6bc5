// How many facts of each kind a block has. A node that left logs out gives other facts when the same block is read again: so the
// numbers of blocks that are not final are stored, to be compared.
import type { Sql } from "postgres";
import type { BlocksAfter } from "../../core/blocks-after.ts";
import type { Schemas } from "../facts/fact-source.ts";
import { eventTables } from "../facts/recent-facts.ts";
import { quoted, recentSchema } from "../tables.ts";

interface FactCount {
  block: number;
  /** The block's own row included. */
  total: number;
  /** As text that is equal where all numbers are. */
  byTable: string;
}

export interface CountedFacts {
  /** By block; one without any is left out. */
  blocks: ReadonlyMap<number, FactCount>;
  /** The tables that have any, in their order. */
  tables: readonly string[];
}

const countsText = (schema: string): string => `
  select block, kind, count(*)::int as n from (${eventTables
    .map(
      (table, kind) =>
        `select block, ${kind} as kind from ${schema}.${table} where block > $1::int4 and block <= $2::int4`,
    )
    .join(" union all ")}) f group by block, kind order by block, kind`;

/** Numbers of facts with `after` < block <= `upTo`. */
export async function countFacts(db: Sql, schema: string, { after, upTo }: BlocksAfter): Promise<CountedFacts> {
  const rows = await db.unsafe<{ block: number; kind: number; n: number }[]>(
    countsText(quoted(schema)),
    [after, upTo],
    { prepare: true },
  );
  const blocks = new Map<number, FactCount>();
  for (const { block, kind, n } of rows) {
    const { total = 1, byTable = "" } = blocks.get(block) ?? {};
    blocks.set(block, { block, total: total + n, byTable: `${byTable}${eventTables[kind]} ${n} ` });
  }
  const kinds = new Set(rows.map(({ kind }) => kind));
  return { blocks, tables: eventTables.filter((_, kind) => kinds.has(kind)) };
}

const factsOf = ({ blocks }: CountedFacts, block: number): FactCount =>
  blocks.get(block) ?? { block, total: 1, byTable: "" };

/** Numbers of facts of every block in (after, upTo], as JSON for {@link storeCountsText}. */
export function countsJson(counted: CountedFacts, { after, upTo }: BlocksAfter): string {
  const blocks = Array.from({ length: upTo - after }, (_, i) => factsOf(counted, after + 1 + i));
  return JSON.stringify(blocks.map(({ block, total, byTable }) => ({ block, total, by_table: byTable })));
}

/** Statement that stores the numbers in `$1`. */
export function storeCountsText(foldSchema: string): string {
  const table = `${quoted(recentSchema(foldSchema))}.fact_count`;
  return `insert into ${table} select * from json_populate_recordset(null::${table}, $1::text::json)`;
}

/** The first of `blocks` that has other facts than were copied. */
export async function firstWithOtherFacts(
  db: Sql,
  { ponder, fold }: Schemas,
  blocks: readonly { number: number }[],
): Promise<number | undefined> {
  const [first, last] = [blocks[0], blocks.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const range = { after: first.number - 1, upTo: last.number };
  const theirs = await countFacts(db, ponder, range);
  const ours = await db.unsafe<{ block: number; by_table: string }[]>(
    `select block, by_table from ${quoted(recentSchema(fold))}.fact_count where block > $1::int4 and block <= $2::int4`,
    [range.after, range.upTo],
    { prepare: true },
  );
  const byBlock = new Map(ours.map(({ block, by_table }) => [block, by_table]));
  return blocks.find(({ number }) => byBlock.get(number) !== factsOf(theirs, number).byTable)?.number;
}
