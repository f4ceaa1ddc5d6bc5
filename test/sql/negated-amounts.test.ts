// The difference of two amounts can be compared, their negation cannot: DuckDB 1.5 leaves a part of a negated BIGNUM unset that it
// compares first.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Database, openDatabase } from "../../gateway/database/database.ts";
import { openLastingService } from "../../gateway/service.ts";
import { chainFixture } from "../support/gateway-fixture.ts";
import { buildIndex } from "../support/index-fixture.ts";
import { makeLake, type TestLake } from "../support/lake.ts";
import { smallIndex } from "../support/small-index.ts";
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

describe("amounts", () => {
  it.each([
    ["select\n -amount from holdings", 2, 2],
    ["select greatest(amount, - amount) from holdings", 1, 25],
    ["select 1 from holdings where -(amount + 1) < 5", 1, 30],
    ["select list_transform([amount], x -> -x) from holdings", 1, 38],
    ["select subtract(amount) from holdings", 1, 8],
  ])("cannot be negated: %j", async (text, line, column) => {
    const refused = await sql.text(text).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "SQL_INVALID", details: { line, column } });
    expect((refused as Error).message).toContain("write 0 - x in place of -x");
  });

  it("can be taken away, and compared then: at every size, below and above zero", async () => {
    const sizes = Array.from({ length: 77 }, (_, size) => 10n ** BigInt(size) + BigInt(size));
    const values = sizes.flatMap((size) => [size, -size]).map((value) => `('${value}'::BIGNUM)`);
    const [answer] = await sql.rows(`
      with v(x) as (values ${values.join(", ")})
      select count(*) as pairs,
             count(*) filter (where (0 - a.x < b.x) <> (a.x + b.x > 0) or greatest(a.x, 0 - a.x) < 0) as wrong
        from v a, v b`);
    expect(answer).toEqual({ pairs: 154 * 154, wrong: 0 });
  });

  it("may be compared with numbers below zero", async () => {
    expect(await sql.rows("select count(*) as n from holdings where amount < -5 or 0 - amount > - 0")).toEqual([
      { n: 0 },
    ]);
  });
});
