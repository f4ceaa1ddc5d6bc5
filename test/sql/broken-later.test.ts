// A token that breaks in a block that may still be replaced: SQL tells it where /balances does.
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Database, openDatabase } from "../../gateway/database/database.ts";
import { openLastingService } from "../../gateway/service.ts";
import { chainFixture } from "../support/gateway-fixture.ts";
import { buildIndex } from "../support/index-fixture.ts";
import { makeLake, type TestLake } from "../support/lake.ts";
import { ALICE, BREAKING, smallIndex } from "../support/small-index.ts";
import { openTestSql, type TestSql } from "../support/sql-engine.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

let database: TestDatabase;
let made: TestLake;
let read: Database;
let sql: TestSql;

beforeAll(async () => {
  database = await startTestDatabase();
  await buildIndex(database.sql, smallIndex);
  const lake = { segmentBlocks: 2, segmentTransfers: 1 };
  made = await makeLake(database.url, { chainId: 31337, name: "small", lake });
  read = openDatabase(database.url);
  const service = openLastingService({ chains: [chainFixture({ chainId: 31337, startBlock: 100 })], database: read });
  sql = await openTestSql({ databaseUrl: database.url, chainId: 31337, lakeFolder: made.folder, service });
});
afterAll(async () => {
  await sql?.close();
  await read?.close();
  made?.remove();
  await database?.stop();
});

it("statements see what broke in a block that may be replaced at the blocks before, as /balances does", async () => {
  const alone = [{ account: ALICE, amount: "5" }];
  for (const block of [101, 110, 112]) {
    expect(await sql.rows(`select * from holders('${BREAKING}', ${block})`), String(block)).toEqual(alone);
    const through = `select account, amount from look_through('${BREAKING}', ${block})`;
    expect(await sql.rows(through), String(block)).toEqual(alone);
    const supply = `select amount from supplies_at(${block}) where token = '${BREAKING}'`;
    expect(await sql.rows(supply), String(block)).toEqual([{ amount: "5" }]);
  }
  const all = `select account, amount, from_block, to_block from holdings('${BREAKING}', 101, 112)`;
  expect(await sql.rows(all)).toEqual([{ account: ALICE, amount: "5", from_block: 101, to_block: null }]);
  expect(await sql.rows(`select * from supplies_at(113) where token = '${BREAKING}'`)).toEqual([]);
});
