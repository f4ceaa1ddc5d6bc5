// A lake that is taken away from under the process that answers SQL, and written again.
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Database, openDatabase } from "../../gateway/database/database.ts";
import { openLastingService } from "../../gateway/service.ts";
import { filesOf, manifestText, rootOf } from "../../lake/manifest.ts";
import { setCheckpoint } from "../support/folded-index.ts";
import { chainFixture } from "../support/gateway-fixture.ts";
import { makeLake, type TestLake } from "../support/lake.ts";
import { accountOf, tokenOf } from "../support/reference-ledger.ts";
import { buildScripted, SCRIPT_CHAIN_ID, Script } from "../support/scripted-index.ts";
import { openTestSql, type TestSql } from "../support/sql-engine.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const BLOCKS = 40;
const CHAIN = { chainId: SCRIPT_CHAIN_ID, name: "anew", lake: { segmentBlocks: 2, segmentTransfers: 10 } };

let database: TestDatabase;
let made: TestLake;
let read: Database;
let sql: TestSql;

beforeAll(async () => {
  database = await startTestDatabase();
  const script = new Script();
  for (let block = 1; block <= BLOCKS; block++) {
    for (let i = 1; i <= 6; i++) script.mint(tokenOf(1), accountOf(i), 1n);
    script.nextBlock();
  }
  await buildScripted(database.sql, script, {
    ...{ ponderSchema: "facts_anew", foldSchema: "fold_anew", finalized: BLOCKS },
  });
  await setCheckpoint(database.sql, "facts_anew", BLOCKS);
  made = await makeLake(database.url, CHAIN);
  read = openDatabase(database.url);
  const service = openLastingService({
    ...{ chains: [chainFixture({ chainId: SCRIPT_CHAIN_ID, startBlock: 0 })], database: read },
  });
  sql = await openTestSql({
    ...{ databaseUrl: database.url, chainId: SCRIPT_CHAIN_ID, lakeFolder: made.folder, service },
  });
});
afterAll(async () => {
  await sql?.close();
  await read?.close();
  made?.remove();
  await database?.stop();
});

it("SQL has the same answers while the lake is gone, and while it is shorter than it was", async () => {
  const place = join(made.folder, "manifest.json");
  const aside = join(made.lake, "aside.json");
  const shorten = (count: number) => {
    const segments = made.manifest.segments.slice(0, count);
    writeFileSync(place, manifestText({ ...made.manifest, segments, root: rootOf(filesOf({ segments })) }));
  };
  const answers = async () => [
    await sql.rows("select count(*) as n, min(block) as first, max(block) as last from transfers"),
    await sql.rows(`select account, amount from holders('${tokenOf(1)}', 30) order by account`),
    await sql.rows("select sum(amount) as amount, count(*) as n from balances"),
  ];
  const before = await answers();
  expect(made.manifest.segments.at(-1)?.last).toBeGreaterThan(30);
  shorten(2);
  expect(await answers()).toEqual(before);
  shorten(8);
  expect(await answers()).toEqual(before);
  renameSync(place, aside);
  expect(await answers()).toEqual(before);
  renameSync(aside, place);
  expect(await answers()).toEqual(before);
});
