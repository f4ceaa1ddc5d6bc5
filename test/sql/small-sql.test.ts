// Statements over the lake of a small index and what is newer.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Database, openDatabase } from "../../gateway/database/database.ts";
import { openLastingService } from "../../gateway/service.ts";
import { chainFixture } from "../support/gateway-fixture.ts";
import { buildIndex, hashOf } from "../support/index-fixture.ts";
import { makeLake, type TestLake } from "../support/lake.ts";
import { ALICE, BOB, BROKEN, CAROL, PLAIN, quarantineSql, smallIndex, YOUNG } from "../support/small-index.ts";
import { openTestSql, type TestSql } from "../support/sql-engine.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

let database: TestDatabase;
let made: TestLake;
let read: Database;
let sql: TestSql;

beforeAll(async () => {
  database = await startTestDatabase();
  await buildIndex(database.sql, smallIndex);
  made = await makeLake(database.url, {
    chainId: 31337,
    name: "small",
    lake: { segmentBlocks: 2, segmentTransfers: 1 },
  });
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

const refusal = (query: string) =>
  sql.text(query).then(
    (text) => `answered: ${text}`,
    (error: Error & { code?: string }) => `${error.code}: ${error.message}`,
  );

describe("statements", () => {
  it("are answered of the head, with its number and hash", async () => {
    expect(made.manifest.segments.length).toBeGreaterThan(1);
    expect(await sql.ask("select 1 as one, 9007199254740993 as large")).toEqual({
      block: 115,
      blockHash: hashOf(115),
      columns: [
        { name: "one", type: "INTEGER" },
        { name: "large", type: "BIGINT" },
      ],
      rows: [{ one: 1, large: "9007199254740993" }],
      rowCount: 1,
    });
  });

  it("see every interval once, final ones and those of blocks that may be replaced", async () => {
    const rows = await sql.rows(
      `select account, amount, from_block, to_block from holdings where ledger = 'erc20' and token = '${PLAIN}' order by from_block, account`,
    );
    expect(rows).toEqual([
      { account: ALICE, amount: "3000000", from_block: 101, to_block: 104 },
      { account: ALICE, amount: "2000000", from_block: 104, to_block: 112 },
      { account: BOB, amount: "1000000", from_block: 104, to_block: 108 },
      { account: CAROL, amount: "1000000", from_block: 108, to_block: 112 },
      { account: ALICE, amount: "1499999", from_block: 112, to_block: null },
      { account: CAROL, amount: "1500001", from_block: 112, to_block: null },
    ]);
  });
  it("x", async () => {
    for (const q of [
      `select * from holders('${PLAIN}', 103)`,
      `select * from holders('${PLAIN}', 105)`,
      `select * from holders('${PLAIN}', 111)`,
      `select * from holders('${PLAIN}', head())`,
      `from balances_at('${ALICE}', 112) order by all`,
      `from look_through('${PLAIN}', 112)`,
      `from look_through('${PLAIN}', head()) order by all`,
      `from holdings('${PLAIN}', 103, 109)`,
      "from tokens",
      "select * from blocks order by number desc limit 2",
      "show tables",
      "describe holdings",
      "from supplies",
      "explain select * from holders('" + PLAIN + "', 103)",
      "from transfers",
      "from v3_positions_at(104)",
      "from holding_open",
      "select * from holders('0x12', 3)",
      `from holders('${PLAIN}', 99)`,
      `from holders('${PLAIN}', 116)`,
      "select a\n from read_text('/etc/passwd')",
      "select 1; select 2",
      "set threads=1",
      "select\n nope from holdings",
      "selec",
      "select * from '/etc/passwd'",
      "select cast('x' as int)",
    ])
      console.log(q, "\n   =>", (await refusal(q)).slice(0, 1500));
  });
});
