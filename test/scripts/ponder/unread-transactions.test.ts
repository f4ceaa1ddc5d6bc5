// What Ponder's own reading of its cache finds there: everything but transactions, which no handler reads.
import { createRequire } from "node:module";
import { afterAll, beforeAll, expect, it } from "vitest";
import { leaveTransactionsOut } from "../../../scripts/ponder/unread-transactions.ts";
import { type PonderPool, startPonderPool } from "../../support/ponder-pool.ts";
import { startTestDatabase, type TestDatabase } from "../../support/test-database.ts";

interface Client {
  connect(): Promise<void>;
  query(text: string): Promise<{ rows: unknown[] }>;
  end(): Promise<void>;
}
interface SyncStore {
  getEventData(about: object): Promise<Record<"blocks" | "logs" | "transactions", object[]>>;
}

const ponder = new URL("../../../node_modules/ponder/dist/esm/bin/ponder.js", import.meta.url);
const load = createRequire(ponder);
const { Client } = load("pg") as { Client: new (settings: object) => Client };
const { drizzle } = load("drizzle-orm/node-postgres");
const { createSyncStore } = (await import(new URL("../sync-store/index.js", ponder).href)) as {
  createSyncStore(setting: object): SyncStore;
};
const { requiredLogFilterInclude } = await import(new URL("../runtime/filter.js", ponder).href);

let database: TestDatabase;
let pool: PonderPool;
beforeAll(async () => {
  database = await startTestDatabase();
  await database.sql.unsafe(`
    create schema ponder_sync;
    create table ponder_sync.blocks (chain_id int8, number int8, hash text, timestamp int8, logs_bloom text);
    create table ponder_sync.logs (chain_id int8, block_number int8, log_index int4, transaction_index int4, address text,
      topic0 text, topic1 text, topic2 text, topic3 text, data text);
    create table ponder_sync.transactions (chain_id int8, block_number int8, transaction_index int4, "from" text, "to" text,
      hash text, type text);
    insert into ponder_sync.blocks values (1, 5, '0x05', 50, '0x');
    insert into ponder_sync.logs values (1, 5, 0, 3, '0xaa', '0x01', null, null, null, '0x');
    insert into ponder_sync.transactions values (1, 5, 3, '0xbb', '0xcc', '0xdd', '0x2')`);
  pool = startPonderPool({ connectionString: database.url, max: 2 });
});
afterAll(async () => {
  await pool.end();
  await database.stop();
});

/** How many rows of each kind Ponder's own function reads of block 5. */
async function readBlock(): Promise<Record<"blocks" | "logs" | "transactions", number>> {
  const qb = { raw: drizzle(pool, { casing: "snake_case" }), wrap: (_label: object, run: () => unknown) => run() };
  const store = createSyncStore({ common: { metrics: { ponder_historical_extract_duration: { inc() {} } } }, qb });
  const filter = {
    ...{ type: "log", chainId: 1, sourceId: "Erc20", address: undefined, fromBlock: undefined, toBlock: undefined },
    ...{ topic0: "0x01", topic1: null, topic2: null, topic3: null },
    ...{ hasTransactionReceipt: false, include: requiredLogFilterInclude },
  };
  const found = await store.getEventData({ filters: [filter], fromBlock: 5, toBlock: 5, chainId: 1, limit: 10 });
  return { blocks: found.blocks.length, logs: found.logs.length, transactions: found.transactions.length };
}

it("the cache is read whole by Ponder itself, and without transactions once they are left out", async () => {
  expect(await readBlock()).toEqual({ blocks: 1, logs: 1, transactions: 1 });
  leaveTransactionsOut();
  expect(await readBlock()).toEqual({ blocks: 1, logs: 1, transactions: 0 });
  const client = new Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query("select hash from ponder_sync.transactions");
  await client.end();
  expect(rows).toEqual([{ hash: "0xdd" }]);
});
