// A database that refuses what Ponder writes into its cache, for two seconds, as one does whose disk is full: Ponder, as the
// launcher starts it, goes on once it may.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { chainFileOf } from "../../devnet/chain-file.ts";
import { type SeededDevnet, startSeededDevnet } from "../../devnet/seeded.ts";
import { ponderProgram } from "../../launcher/programs.ts";
import { freePort } from "../../machine/ports.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";
import type { ChainLog } from "./census.ts";
import { factDifferences } from "./comparison.ts";
import { type Indexer, startIndexer } from "./indexer.ts";

/** Enough final blocks for Ponder to fill its cache in several ranges. */
const STEPS = 80;
/** Ponder tries again after 125, 250, 500 and 1,000 ms. */
const REFUSED_MS = 2_000;
/** Where the machine is so busy that fewer tries fall into that time. */
const FEWEST_REFUSALS = 3;

/** A sequence shows when the first write was refused: a transaction that is rolled back leaves nothing else behind. */
const REFUSE = `
  truncate ponder_sync.blocks, ponder_sync.logs, ponder_sync.transactions, ponder_sync.intervals;
  create sequence refused_since;
  create sequence written;
  create function refuse() returns trigger language plpgsql as $$
    declare
      now_ms int8 := extract(epoch from clock_timestamp()) * 1000;
    begin
      if (select not is_called from refused_since) then perform setval('refused_since', now_ms); end if;
      if nextval('written') <= ${FEWEST_REFUSALS} or now_ms - (select last_value from refused_since) < ${REFUSED_MS} then
        raise exception 'could not extend file: No space left on device' using errcode = 'disk_full';
      end if;
      return null;
    end $$;
  create trigger refuse before insert on ponder_sync.blocks for each statement execute function refuse();`;

let devnet: SeededDevnet;
let database: TestDatabase;
let folder: string;
const indexers: Indexer[] = [];

async function index(name: string): Promise<Indexer> {
  const indexer = startIndexer({
    chain: chainFileOf(devnet.world.at),
    folder: join(folder, name),
    sql: database.sql,
    databaseUrl: database.url,
    rpcUrl: devnet.rpcUrl,
    port: await freePort(),
    program: ponderProgram,
  });
  indexers.push(indexer);
  const { number, hash } = await devnet.chain.client.getBlock();
  await indexer.waitFor({ number: Number(number), hash });
  return indexer;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-refused-"));
  [devnet, database] = await Promise.all([
    startSeededDevnet({ port: await freePort(), steps: STEPS }),
    startTestDatabase(),
  ]);
});
afterAll(async () => {
  await Promise.all(indexers.map((indexer) => indexer.stop()));
  await database?.stop();
  await devnet?.stop();
  rmSync(folder, { recursive: true, force: true });
});

test("Ponder whose cache cannot be written for a while has every fact once it can", async () => {
  const { sql } = database;
  const { schema, stop } = await index("first");
  await stop();
  await sql`drop schema ${sql(schema)} cascade`;
  await sql.unsafe(REFUSE);
  const again = await index("again");
  const refusals = again.lines.filter((line) => /Failed database query.*retry_count/.test(line));
  // without our changes Ponder would have stopped after two
  expect(refusals.length).toBeGreaterThanOrEqual(2);
  const logs = await devnet.chain.rpc<ChainLog[]>("eth_getLogs", [{ fromBlock: "0x0", toBlock: "latest" }]);
  expect(await factDifferences({ sql, schema }, again.chain, logs)).toEqual([]);
});
