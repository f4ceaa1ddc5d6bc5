// The state of a history at a block, twice: from the two files of a segment, and from PostgreSQL as gateways read it.
import { DuckDBInstance } from "@duckdb/node-api";
import type { Sql } from "postgres";
import { rowsAt } from "../../core/history/as-of.ts";
import type { History } from "../../core/history/history.ts";
import { quoted } from "../../fold/tables.ts";
import type { Manifest, SegmentEntry } from "../../lake/manifest.ts";

export interface Duck {
  rows(text: string): Promise<Record<string, unknown>[]>;
  close(): void;
}

export async function openReader(): Promise<Duck> {
  const instance = await DuckDBInstance.create(":memory:", { threads: "1" });
  const connection = await instance.connect();
  return {
    rows: async (text) => (await connection.runAndReadAll(text)).getRowObjectsJson(),
    close() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

export const segmentOf = ({ segments }: Manifest, block: number): SegmentEntry | undefined =>
  segments.find(({ first, last }) => first <= block && block <= last);

const asText = (row: Record<string, unknown>): string =>
  JSON.stringify(
    Object.fromEntries(
      Object.entries(row)
        .filter(([name]) => name !== "to_block")
        .map(([name, value]) => [name, String(value)])
        .sort(([a = ""], [b = ""]) => (a < b ? -1 : 1)),
    ),
  );

/** Rows at the end of `block` as texts, sorted; `unless`: SQL of rows that are left out. */
export async function stateInLake(
  duck: Duck,
  { folder, segment, history }: { folder: string; segment: SegmentEntry; history: string },
  { block, unless = "false" }: { block: number; unless?: string },
): Promise<string[]> {
  const part = async (which: string, condition: string) => {
    const file = segment.files.find(({ dataset }) => dataset === `${history}_${which}`);
    if (file === undefined) return [];
    return duck.rows(`select * from '${folder}/${file.path}' where ${condition} and not (${unless})`);
  };
  const closed = await part("closed", `from_block <= ${block} and to_block > ${block}`);
  const open = await part("open", `from_block <= ${block}`);
  return [...closed, ...open].map(asText).sort();
}

const hex = (expression: string) => `'0x' || encode(${expression}, 'hex')`;

/** SQL of a column of relation `row` under its name in the lake, written out by hand. */
function named(s: string, row: string, [name, type]: [string, string]): string {
  const value = `${row}.${name}`;
  if (type === "int4" && name === "asset")
    return `'ledger', (select kind from ${s}.asset where id = ${value}),
            'token', (select case when key = '' then '' else ${hex("key")} end from ${s}.asset where id = ${value})`;
  if (type === "int4" && name === "pool")
    return `'pool', (select ${hex("address")} from ${s}.v3_pool where id = ${value})`;
  if (type === "int4" && name === "island")
    return `'island', (select ${hex("address")} from ${s}.island where id = ${value})`;
  return `'${name}', ${type === "bytea" ? hex(value) : `${value}::text`}`;
}

/** The same from PostgreSQL. */
export async function stateInIndex(
  sql: Sql,
  { foldSchema, history, block }: { foldSchema: string; history: History; block: number },
): Promise<string[]> {
  const s = quoted(foldSchema);
  const columns = Object.entries({ ...history.key, ...history.values });
  const select = (row: string) => {
    const since = row === "i" ? "from_block" : row === "c" ? "since" : "block";
    return `json_build_object(${columns.map((column) => named(s, row, column)).join(", ")}, 'from_block', ${row}.${since}) as state`;
  };
  const rows = await sql.unsafe(rowsAt(history, { fold: s, block: String(block), select }));
  return rows.map(({ state }) => asText(state)).sort();
}
