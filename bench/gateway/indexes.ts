// What indexes on the fact tables would cost and give: bytes, time to build, time of a live block's inserts, and the
// questions that analysts ask of large tables.
import postgres, { type Sql } from "postgres";
import { quoted } from "../../fold/tables.ts";
import { createPonderTables } from "../../scripts/ponder-tables.ts";
import { median } from "../index/report.ts";
import type { Server } from "../index/workbench.ts";
import { type MadeSize, madeAddressOf, swapsText, transfersText, writeMadeFacts } from "./made-facts.ts";

const bloom = (pages: number) => (columns: string[]) =>
  `using brin (${columns.map((column) => `${column} text_bloom_ops`).join(", ")})
   with (pages_per_range = ${pages}, autosummarize = on)`;

type Ddl = (schema: string) => string[];

/** Every way is made on the same rows, one after the other. */
export const ways: Readonly<Record<string, Ddl>> = {
  "primary keys alone": () => [],
  "b-tree of pools": (s) => [`create index w4 on ${s}.v3_swap (pool, block, log_index)`],
  "b-tree by each column": (s) => [
    `create index w1 on ${s}.erc20_transfer (token, block, log_index)`,
    `create index w2 on ${s}.erc20_transfer ("from", block, log_index)`,
    `create index w3 on ${s}.erc20_transfer ("to", block, log_index)`,
    `create index w4 on ${s}.v3_swap (pool, block, log_index)`,
  ],
  "b-tree of hashes of each column": (s) => [
    `create index w1 on ${s}.erc20_transfer (hashtext(token), block, log_index)`,
    `create index w2 on ${s}.erc20_transfer (hashtext("from"), block, log_index)`,
    `create index w3 on ${s}.erc20_transfer (hashtext("to"), block, log_index)`,
    `create index w4 on ${s}.v3_swap (hashtext(pool), block, log_index)`,
  ],
  "BRIN bloom, 32 pages; b-tree of pools": (s) => [
    `create index w1 on ${s}.erc20_transfer ${bloom(32)(["token", '"from"', '"to"'])}`,
    `create index w4 on ${s}.v3_swap (pool, block, log_index)`,
  ],
};

export interface IndexRun {
  way: string;
  buildMs: number;
  bytes: number;
  tableBytes: number;
  /** Median of 200 blocks of 300 transfers and 100 swaps, each committed. */
  blockMs: number;
  /** Milliseconds by question, the best of five; past the limit: null. */
  questions: Record<string, number | null>;
}

const LIMIT_MS = 10_000;
const newest = "order by block desc, log_index desc limit 100";

function questionsOf(schema: string, way: string, { tokens, accounts, pools }: MadeSize): Record<string, string> {
  const is = (column: string, value: string) =>
    way.includes("hashes")
      ? `(hashtext(${column}) = hashtext('${value}') and ${column} = '${value}')`
      : `${column} = '${value}'`;
  const transfers = (condition: string) => `select * from ${schema}.erc20_transfer where ${condition} ${newest}`;
  const rare = madeAddressOf("cc", accounts - 7);
  const latest = Array.from(
    { length: 100 },
    (_, i) => `('${madeAddressOf("bb", Math.floor((i * pools) / 100) + 1)}')`,
  ).join(", ");
  return {
    "newest 100 of a hot token": transfers(is("token", madeAddressOf("aa", 1))),
    "newest 100 of a rare token": transfers(is("token", madeAddressOf("aa", tokens - 3))),
    "newest 100 of a rare account, from or to": transfers(`(${is('"from"', rare)} or ${is('"to"', rare)})`),
    "newest 100 of no account": transfers(is('"to"', madeAddressOf("dd", 1))),
    "newest 3 swaps of 100 pools": `select l.* from (values ${latest}) p(pool) cross join lateral (
        select * from ${schema}.v3_swap f where ${way.includes("hashes") ? "hashtext(f.pool) = hashtext(p.pool) and " : ""}f.pool = p.pool
         order by block desc, log_index desc limit 3) l`,
  };
}

/** The best of five. */
async function timeQuestion(db: Sql, text: string): Promise<number | null> {
  const times: number[] = [];
  for (let n = 0; n < 5; n++) {
    const started = performance.now();
    try {
      await db.unsafe(text);
    } catch {
      return null;
    }
    times.push(performance.now() - started);
    if (times.reduce((sum, ms) => sum + ms, 0) > 5_000) break;
  }
  return Math.min(...times);
}

async function timeBlocks(db: Sql, s: string, { size, start }: { size: MadeSize; start: number }): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < 200; n++) {
    const from = size.transfers + (start + n) * 300;
    const text = `begin;
      insert into ${s}.erc20_transfer (block, log_index, tx_index, timestamp, token, "from", "to", amount)
        ${transfersText({ ...size, perBlock: 300 }, from, from + 299).replace("(i / 300)::int4 as block", `${9_000_000 + start + n} as block`)};
      insert into ${s}.v3_swap (block, log_index, tx_index, timestamp, pool, sender, recipient, amount0, amount1, sqrt_price_x96, liquidity, tick)
        ${swapsText({ ...size, perBlock: 300 }, from, from + 99).replace("(i / 300)::int4 as block", `${9_000_000 + start + n} as block`)};
      commit`;
    const started = performance.now();
    await db.unsafe(text);
    times.push(performance.now() - started);
  }
  return median(times);
}

const sizeOf = async (db: Sql, text: string): Promise<number> =>
  Number((await db.unsafe(`select (${text})::float8 as bytes`))[0]?.bytes);

/** Measures every way on the same rows. */
export async function measureIndexes(server: Server, size: MadeSize): Promise<IndexRun[]> {
  const db = postgres(server.url, { max: 1, onnotice: () => {} });
  const schema = "index_ways";
  const s = quoted(schema);
  const runs: IndexRun[] = [];
  try {
    await db.unsafe(`create schema ${s}`);
    await createPonderTables(db, schema);
    await writeMadeFacts(db, schema, size);
    await db.unsafe(`set statement_timeout = ${LIMIT_MS}; set jit = off`);
    for (const [place, [way, ddl]] of Object.entries(ways).entries()) {
      await db.unsafe("set statement_timeout = 0");
      const started = performance.now();
      for (const text of ddl(s)) await db.unsafe(text);
      const buildMs = performance.now() - started;
      await db.unsafe(`analyze ${s}.erc20_transfer; analyze ${s}.v3_swap`);
      await db.unsafe(`set statement_timeout = ${LIMIT_MS}`);
      const bytes = await sizeOf(
        db,
        `select coalesce(sum(pg_relation_size(indexrelid)), 0) from pg_stat_user_indexes where schemaname = '${schema}' and indexrelname ~ '^w[0-9]'`,
      );
      const tableBytes = await sizeOf(db, `pg_table_size('${s}.erc20_transfer') + pg_table_size('${s}.v3_swap')`);
      const questions: IndexRun["questions"] = {};
      for (const [name, text] of Object.entries(questionsOf(s, way, size)))
        questions[name] = await timeQuestion(db, text);
      const blockMs = await timeBlocks(db, s, { size, start: place * 200 });
      runs.push({ way, buildMs, bytes, tableBytes, blockMs, questions });
      for (const name of ["w1", "w2", "w3", "w4"]) await db.unsafe(`drop index if exists ${s}.${name}`);
    }
    return runs;
  } finally {
    await db.end({ timeout: 2 });
  }
}
