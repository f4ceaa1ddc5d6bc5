// Random questions about blocks of the seeded devnet, through DuckDB over the lake and what is newer: byte for byte
// what PostgreSQL answers.
import type { Sql } from "postgres";
import { zeroAddress } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rowsAt } from "../../core/history/as-of.ts";
import { histories, holdings } from "../../core/history/histories.ts";
import type { History } from "../../core/history/history.ts";
import { historyDatasets, historyRows } from "../../core/lake/datasets.ts";
import { quoted } from "../../fold/tables.ts";
import { type Database, openDatabase } from "../../gateway/database/database.ts";
import { openLastingService } from "../../gateway/service.ts";
import type { TestGateway } from "../support/gateway-fixture.ts";
import { sized } from "../support/sized.ts";
import { openTestSql, type TestSql } from "../support/sql-engine.ts";
import { openSeededGateway, openSeededSql, type SeededLake, seeded, seededChain, seededLake } from "./seeded-index.ts";

const SEED = Number(process.env.SQL_SEED ?? 20_261_123);
const QUESTIONS = sized({ some: 100, whole: 1_000 });

let db: Sql;
let made: SeededLake;
let read: Database;
let sql: TestSql;
let gateway: TestGateway;
let tokens: string[];
let accounts: string[];

beforeAll(async () => {
  db = openSeededSql();
  made = await seededLake();
  read = openDatabase(seeded.databaseUrl);
  gateway = openSeededGateway();
  const service = openLastingService({ chains: [seededChain()], database: read });
  sql = await openTestSql({
    databaseUrl: seeded.databaseUrl,
    chainId: seededChain().chainId,
    lakeFolder: made.folder,
    service,
  });
  const fold = quoted(seeded.foldSchema);
  tokens = (
    await db.unsafe(`select '0x' || encode(key, 'hex') as token from ${fold}.asset a
      where kind = 'erc20' and not exists (select from ${fold}.quarantine q where q.asset = a.id) order by key`)
  ).map(({ token }) => String(token));
  accounts = (
    await db.unsafe(`select distinct '0x' || encode(account, 'hex') as account from ${fold}.holder order by 1`)
  ).map(({ account }) => String(account));
});
afterAll(async () => {
  await sql?.close();
  await gateway?.close();
  await read?.close();
  await db?.end({ timeout: 2 });
});

/** Numbers from 0 on, below `below`; the same for the same seed (mulberry32). */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

/** PostgreSQL's answer in the columns of the lake, as lines. */
async function fromPostgres(history: History, block: number, where: string): Promise<string[]> {
  const fold = quoted(seeded.foldSchema);
  const at = rowsAt(history, { fold, block: `${block}` });
  const text = historyRows(history, { fold, relation: `(${at})`, fromBlock: "0" });
  const names = historyDatasets.find((one) => one.history === history)?.open.columns.map(({ name }) => `"${name}"`);
  const rows = await db.unsafe(`
    select to_jsonb(r) - 'from_block' as row from (${text}) r(${names})
     where ${where}`);
  return rows.map(({ row }) => lineOf(row as Record<string, unknown>)).sort();
}

const lineOf = (row: Record<string, unknown>): string =>
  Object.entries(row)
    .filter(([name]) => name !== "from_block")
    .map(([name, value]) => `${name}=${String(value)}`)
    .sort()
    .join(" ");

interface Question {
  query: string;
  history: History;
  where: string;
}

/** One of four kinds. */
function questionAt(block: number, random: (below: number) => number): Question {
  const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T;
  const [history, token, account] = [pick(histories), pick(tokens), pick(accounts)];
  const kinds: Question[] = [
    {
      query: `select 'erc20' as ledger, '${token}' as token, * from holders('${token}', ${block})`,
      ...{ history: holdings, where: `ledger = 'erc20' and token = '${token}' and account <> '${zeroAddress}'` },
    },
    {
      query: `select 'erc20' as ledger, '${account}' as account, * from balances_at('${account}', ${block})`,
      ...{ history: holdings, where: `ledger = 'erc20' and account = '${account}'` },
    },
    {
      query: `select * exclude (to_block) from ${history.name}s
        where from_block <= ${block} and (to_block is null or to_block > ${block})`,
      ...{ history, where: "true" },
    },
    { query: `select * from ${history.name}s_at(${block})`, history, where: "true" },
  ];
  return pick(kinds);
}

const fromDuckdb = async (query: string): Promise<string[]> => (await sql.rows(query)).map(lineOf).sort();

describe(`questions of seed ${SEED}`, () => {
  it("have a lake of several segments, and blocks that are newer", () => {
    expect(made.manifest.segments.length).toBeGreaterThan(2);
    expect(made.manifest.segments.at(-1)?.last).toBeLessThan(seeded.finalized);
    expect(tokens.length).toBeGreaterThan(20);
  });

  it(`have PostgreSQL's answers, ${QUESTIONS} of them: what an account holds, who holds a token, and every kind of state at a block`, async () => {
    const random = randomOf(SEED);
    const first = made.manifest.segments[0]?.first ?? 0;
    let rows = 0;
    for (let i = 0; i < QUESTIONS; i += 1) {
      // every fourth one about the newest blocks
      const block = random(4) === 0 ? seeded.head - random(70) : first + random(seeded.head - first + 1);
      const { query, history, where } = questionAt(block, random);
      const [ours, theirs] = [await fromDuckdb(query), await fromPostgres(history, block, where)];
      rows += theirs.length;
      expect(ours, query).toEqual(theirs);
    }
    console.log(`${QUESTIONS} questions, ${rows} rows`);
    expect(rows).toBeGreaterThan(QUESTIONS);
  }, 600_000);

  it("find in look_through() what /balances answers, in the lake, between its end and finality, and at the head", async () => {
    const random = randomOf(SEED + 1);
    const last = made.manifest.segments.at(-1)?.last ?? 0;
    let rows = 0;
    for (const block of [last - 150, last - 20, last, seeded.finalized - 1, seeded.head - 3, seeded.head])
      for (let i = 0; i < 4; i += 1) {
        const token = tokens[random(tokens.length)];
        const { status, text } = await gateway.get(`/balances/${token}?blockNumber=${block}&format=csv`);
        const query = `select account, amount, wallet, v2_pool, island, farm, reward_vault, external_vaults, v3_position
          from look_through('${token}', ${block}) order by account`;
        if (status !== 200) {
          await expect(sql.text(query)).rejects.toMatchObject({ status });
          continue;
        }
        const [header = "", ...lines] = text.trimEnd().split("\n");
        const without = header.split(",").indexOf("amountDecimal");
        const theirs = lines
          .map((line) =>
            line
              .split(",")
              .filter((_, column) => column !== without)
              .join(","),
          )
          .sort();
        const ours = (await sql.text(query, "csv")).trimEnd().split("\n").slice(1).sort();
        expect(ours, `${token} at ${block}`).toEqual(theirs);
        rows += ours.length;
      }
    expect(rows).toBeGreaterThan(50);
  });

  it("find in views over facts what the index has, up to the head", async () => {
    const fold = quoted(seeded.foldSchema);
    for (const table of [
      "erc20_transfer",
      "v3_swap",
      "v2_swap",
      "v2_liquidity",
      "stake",
      "launch_pool",
      "island_flow",
      "v3_nft",
      "other_event",
    ]) {
      const [found] = await db.unsafe(
        `select count(*)::int as n, max(block) as last from ${fold}.${table} where block <= ${seeded.head}`,
      );
      expect(await sql.rows(`select count(*) as n, max(block) as last from ${table}`), table).toEqual([
        { n: found?.n, last: found?.last ?? null },
      ]);
    }
    const [launched] = await sql.rows(
      "select count(*) as n from pools where protocol = 'launch' and token0 is not null and token1 is not null",
    );
    expect(Number(launched?.n)).toBeGreaterThan(0);
    for (const view of [
      "swaps",
      "liquidity",
      "transfers",
      "vaults",
      "launches",
      "pools",
      "tokens",
      "supplies",
      "islands",
      "v3_nfts",
    ])
      expect(Number((await sql.rows(`select count(*) as n from ${view}`))[0]?.n), view).toBeGreaterThan(0);
  });
});
