// Rows against logs: Ponder swallows duplicate keys without a word and can lose a block at a crash, so every block of
// every fact table is counted against the chain's own logs.
import type { Sql } from "postgres";
import { type BranchBlock, type BranchHistory, factTableOf } from "./branch-history.ts";

const TABLES = ["erc20_transfer", "weth9_deposit", "weth9_withdrawal"] as const;

export interface Census {
  blocks: number;
  rows: number;
  logs: number;
  /** One line each: table, block, rows and logs that differ. */
  differences: string[];
}

/** Counts all rows per table and block, and compares block hashes. */
export async function takeCensus(sql: Sql, ponderSchema: string, history: BranchHistory): Promise<Census> {
  const present = history.present();
  const census: Census = { blocks: present.length, rows: 0, logs: 0, differences: [] };
  census.differences.push(...(await differingHashes(sql, ponderSchema, present)));
  for (const table of TABLES) {
    const found = new Map<number, number>();
    const counted = await sql.unsafe(
      `select block, count(*)::int as n from "${ponderSchema}"."${table}" group by block`,
    );
    for (const row of counted) found.set(row.block, row.n);
    for (const { number, logs } of present) {
      const expected = logs.filter((log) => factTableOf(log) === table).length;
      const rows = found.get(number) ?? 0;
      found.delete(number);
      census.rows += rows;
      census.logs += expected;
      if (rows !== expected) census.differences.push(`${table}, block ${number}: ${rows} rows, ${expected} logs`);
    }
    for (const [number, n] of found) census.differences.push(`${table}, block ${number}: ${n} rows beyond the chain`);
  }
  return census;
}

async function differingHashes(sql: Sql, ponderSchema: string, present: readonly BranchBlock[]): Promise<string[]> {
  const facts = await sql.unsafe(`select number, hash from "${ponderSchema}".block`);
  const hashes = new Map(facts.map(({ number, hash }) => [Number(number), String(hash)]));
  const differing = present
    .filter(({ number, hash }) => hashes.get(number) !== hash)
    .map(({ number, hash }) => `block ${number}: fact ${hashes.get(number)}, chain ${hash}`);
  for (const { number } of present) hashes.delete(number);
  return [...differing, ...[...hashes.keys()].map((number) => `block ${number}: a fact, but not on the chain`)];
}
