// Ponder, as the launcher starts it, on a node that refuses in every way that providers do: it loses no block, its facts are those
// of an index that nothing disturbed, and it asks no faster than it is granted.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Sql } from "postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chainFileOf } from "../../devnet/chain-file.ts";
import { type SeededDevnet, startSeededDevnet } from "../../devnet/seeded.ts";
import { ponderProgram } from "../../launcher/programs.ts";
import { freePort } from "../../machine/ports.ts";
import { type RefusingNode, startRefusingNode } from "../support/refusing-node.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";
import type { ChainLog } from "./census.ts";
import { factDifferences } from "./comparison.ts";
import { type Indexer, startIndexer } from "./indexer.ts";

const STEPS = 60;
/** Beyond those that are there when it begins. */
const MOST_LIVE_BLOCKS = 60;
const LIMITS = { creditsPerSecond: 150, refusesEvery: 60, mostBlocks: 20, mostLogs: 150 };

let devnet: SeededDevnet;
let node: RefusingNode;
let folder: string;
const databases: TestDatabase[] = [];
const indexers: Indexer[] = [];

async function startOn(name: string, rpcUrl: string): Promise<{ indexer: Indexer; sql: Sql }> {
  const database = await startTestDatabase();
  databases.push(database);
  const indexer = startIndexer({
    chain: { ...chainFileOf(devnet.world.at), pollingIntervalMs: 500 },
    folder: join(folder, name),
    sql: database.sql,
    databaseUrl: database.url,
    rpcUrl,
    port: await freePort(),
    program: ponderProgram,
  });
  indexers.push(indexer);
  return { indexer, sql: database.sql };
}

const chainHead = async () => {
  const { number, hash } = await devnet.chain.client.getBlock();
  return { number: Number(number), hash };
};

/** Every row of every fact table, in short. */
async function rowsOf(sql: Sql, schema: string): Promise<[string, number, string][]> {
  const tables = await sql`select tablename as name from pg_tables
    where schemaname = ${schema} and tablename not like '\\_%' order by tablename`;
  const found: [string, number, string][] = [];
  for (const { name } of tables) {
    const [row] =
      await sql`select count(*)::int as n, coalesce(md5(string_agg(t::text, ' ' order by t::text)), '') as rows
      from ${sql(schema)}.${sql(String(name))} t`;
    found.push([String(name), Number(row?.n), String(row?.rows)]);
  }
  return found;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-refusing-"));
  devnet = await startSeededDevnet({ port: await freePort(), steps: STEPS });
  node = await startRefusingNode(devnet.rpcUrl, LIMITS);
});
afterAll(async () => {
  await Promise.all(indexers.map((indexer) => indexer.stop()));
  await Promise.all(databases.map((database) => database.stop()));
  await node?.stop();
  await devnet?.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe("a node that refuses in every way that providers do", () => {
  test("is obeyed, in a backfill and at the head, and no block is lost", async () => {
    const startedAt = performance.now();
    const [refused, plain] = await Promise.all([startOn("refused", node.url), startOn("plain", devnet.rpcUrl)]);
    await Promise.all([refused, plain].map(async ({ indexer }) => indexer.waitFor(await chainHead())));
    const { refusals, requests, ways } = node;
    const unseen = () => ways.filter((way) => !refusals.has(way));
    for (let block = 0; block < 5 || (block < MOST_LIVE_BLOCKS && unseen().length > 0); block++) {
      await devnet.chain.seal(2);
      await Promise.all([refused, plain].map(async ({ indexer }) => indexer.waitFor(await chainHead())));
    }
    const seconds = (performance.now() - startedAt) / 1_000;

    const logs = await devnet.chain.rpc<ChainLog[]>("eth_getLogs", [{ fromBlock: "0x0", toBlock: "latest" }]);
    const { sql, indexer } = refused;
    expect(await factDifferences({ sql, schema: indexer.schema }, indexer.chain, logs)).toEqual([]);
    const rows = await rowsOf(sql, indexer.schema);
    expect(rows).toEqual(await rowsOf(plain.sql, plain.indexer.schema));
    expect(rows.reduce((sum, [, count]) => sum + count, 0)).toBeGreaterThan(500);

    const firstRefusal = requests.find(({ isGranted }) => !isGranted)?.at ?? 0;
    const late = requests.filter(({ at }) => at > firstRefusal);
    const refusedLate = late.filter(({ isGranted }) => !isGranted).length;
    console.log(`${requests.length} requests in ${seconds.toFixed(0)} s`, Object.fromEntries(refusals));
    expect(unseen()).toEqual([]);
    expect(node.disobeyed()).toBe(0);
    expect(refusedLate / late.length).toBeLessThan(0.2);
  });
});
