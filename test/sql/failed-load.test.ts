// A load of newer blocks that fails in its middle.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Database, openDatabase } from "../../gateway/database/database.ts";
import { openLastingService } from "../../gateway/service.ts";
import { followFacts, setCheckpoint } from "../support/folded-index.ts";
import { chainFixture } from "../support/gateway-fixture.ts";
import { buildIndex, insertBlocks, insertFacts } from "../support/index-fixture.ts";
import { ALICE, BOB, PLAIN, smallIndex } from "../support/small-index.ts";
import { openTestSql, type TestSql } from "../support/sql-engine.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const { ponderSchema, foldSchema } = smallIndex;

let database: TestDatabase;
let read: Database;
let sql: TestSql;
let lakeFolder: string;

beforeAll(async () => {
  database = await startTestDatabase();
  await buildIndex(database.sql, smallIndex);
  await insertBlocks(database.sql, ponderSchema, { from: 116, to: 160 });
  const fact = { kind: "transfer" as const, token: PLAIN, logIndex: 0, block: 150, from: ALICE, to: BOB, amount: 8n };
  await insertFacts(database.sql, ponderSchema, [fact]);
  await followFacts(database.sql, { ponderSchema, foldSchema });
  read = openDatabase(database.url);
  const service = openLastingService({ chains: [chainFixture({ chainId: 31337, startBlock: 100 })], database: read });
  lakeFolder = mkdtempSync(join(tmpdir(), "tidemark-no-lake-"));
  sql = await openTestSql({ databaseUrl: database.url, chainId: 31337, lakeFolder, service });
});
afterAll(async () => {
  await sql?.close();
  await read?.close();
  rmSync(lakeFolder, { recursive: true, force: true });
  await database?.stop();
});

it("Rows are seen once after a load that failed, though their block became final meanwhile", async () => {
  const texts = ["select block, log_index, token, amount from transfers", "select * from holdings"];
  const rows = () => Promise.all(texts.map((text) => sql.rows(`${text} order by all`)));
  const before = await rows();
  await setCheckpoint(database.sql, ponderSchema, 156);
  await followFacts(database.sql, { ponderSchema, foldSchema });
  const move = (from: string, to: string) =>
    database.sql.unsafe(`alter table "${foldSchema}"."${from}" rename to "${to}"`);
  await move("quarantine", "away");
  await expect(rows()).rejects.toThrow("quarantine");
  await move("away", "quarantine");
  expect(await rows()).toEqual(before);
});
