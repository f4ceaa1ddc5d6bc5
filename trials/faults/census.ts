// Compares rows with logs: Ponder silently ignores duplicate keys, can lose a block in a crash, and believes a node that
// leaves logs out. So every row of every fact table is compared with the chain's own logs, one by one.
import type { Sql } from "postgres";
import { type BranchBlock, type BranchHistory, factTableOf, factTextOf } from "./branch-history.ts";

/** Columns that make up the text of a row, as `factTextOf` makes it from a log. */
const TABLES = {
  erc20_transfer: `token || ' ' || "from" || ' ' || "to" || ' ' || amount`,
  weth9_deposit: "token || ' ' || account || ' ' || amount",
  weth9_withdrawal: "token || ' ' || account || ' ' || amount",
} as const;
type Table = keyof typeof TABLES;

export interface Census {
  rows: number;
  logs: number;
  /** One line each: table and block whose rows and logs differ. */
  differences: string[];
}

/** Compares all rows, and the hashes of all blocks. */
export async function takeCensus(sql: Sql, ponderSchema: string, history: BranchHistory): Promise<Census> {
  const present = history.present();
  const census: Census = { rows: 0, logs: 0, differences: [] };
  census.differences.push(...(await differingHashes(sql, ponderSchema, present)));
  for (const [table, text] of Object.entries(TABLES)) {
    const facts = new Map<number, string[]>();
    const rows = await sql.unsafe(
      `select block, log_index || ' ' || ${text} as text from "${ponderSchema}"."${table}" order by block, log_index`,
    );
    for (const row of rows) {
      const texts = facts.get(row.block) ?? [];
      texts.push(row.text);
      facts.set(row.block, texts);
    }
    census.rows += rows.length;
    for (const block of present) {
      const expected = textsOf(block, table as Table);
      const found = facts.get(block.number) ?? [];
      facts.delete(block.number);
      census.logs += expected.length;
      if (found.length !== expected.length || found.some((one, place) => one !== expected[place]))
        census.differences.push(
          `${table}, block ${block.number}: ${found.length} rows, ${expected.length} logs, not the same`,
        );
    }
    for (const [number, beyond] of facts)
      census.differences.push(`${table}, block ${number}: ${beyond.length} rows beyond the chain`);
  }
  return census;
}

/** What a block's logs must have become, in order. */
const textsOf = ({ logs }: BranchBlock, table: Table): string[] =>
  logs.flatMap((log, place) => (factTableOf(log) === table ? [`${place} ${factTextOf(log)}`] : []));

async function differingHashes(sql: Sql, ponderSchema: string, present: readonly BranchBlock[]): Promise<string[]> {
  const facts = await sql.unsafe(`select number, hash from "${ponderSchema}".block`);
  const hashes = new Map(facts.map(({ number, hash }) => [Number(number), String(hash)]));
  const differing = present
    .filter(({ number, hash }) => hashes.get(number) !== hash)
    .map(({ number, hash }) => `block ${number}: fact ${hashes.get(number)}, chain ${hash}`);
  for (const { number } of present) hashes.delete(number);
  return [...differing, ...[...hashes.keys()].map((number) => `block ${number}: a fact, but not on the chain`)];
}
