// Statements over the lake of a small index and what is newer.
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parquetReadObjects } from "hyparquet";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type Database, openDatabase } from "../../gateway/database/database.ts";
import { openLastingService } from "../../gateway/service.ts";
import { runStatement } from "../../sql/run-statement.ts";
import { Tail } from "../../sql/tail.ts";
import { followFacts, setCheckpoint } from "../support/folded-index.ts";
import { chainFixture } from "../support/gateway-fixture.ts";
import { buildIndex, hashOf, insertBlocks, insertFacts } from "../support/index-fixture.ts";
import { makeLake, type TestLake } from "../support/lake.ts";
import { ALICE, BOB, BREAKING, CAROL, PLAIN, smallIndex, YOUNG } from "../support/small-index.ts";
import { openTestSql, type TestSql } from "../support/sql-engine.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const CHAIN = { chainId: 31337, name: "small", lake: { segmentBlocks: 2, segmentTransfers: 1 } };
const SECRET = "canary-of-the-machine";

let database: TestDatabase;
let made: TestLake;
let read: Database;
let sql: TestSql;
let outside: string;

beforeAll(async () => {
  database = await startTestDatabase();
  await buildIndex(database.sql, smallIndex);
  made = await makeLake(database.url, CHAIN);
  outside = mkdtempSync(join(tmpdir(), "tidemark-outside-"));
  writeFileSync(join(outside, "secret.csv"), `${SECRET}\n`);
  symlinkSync(outside, join(made.folder, "holding_open", "linked"));
  read = openDatabase(database.url);
  const service = openLastingService({ chains: [chainFixture({ chainId: 31337, startBlock: 100 })], database: read });
  const limits = { seconds: 2, rows: 5_000, bytes: 1_000_000 };
  sql = await openTestSql({ databaseUrl: database.url, chainId: 31337, lakeFolder: made.folder, service, limits });
});
afterAll(async () => {
  await sql?.close();
  await read?.close();
  rmSync(outside, { recursive: true, force: true });
  made?.remove();
  await database?.stop();
});

/** Code and message of a refusal, or the answer where the statement was not refused. */
const refusal = (query: string): Promise<string> =>
  sql.text(query).then(
    (text) => `answered: ${text}`,
    (error: Error & { code?: string }) => `${error.code}: ${error.message}`,
  );

describe("statements", () => {
  it("are answered of the head, with its number and hash, and integers that JSON cannot hold as text", async () => {
    expect(
      await sql.ask("select 1 as one, 9007199254740993 as large, 5::BIGNUM as amount, 1.5::DOUBLE as half"),
    ).toEqual({
      block: 115,
      blockHash: hashOf(115),
      columns: [
        { name: "one", type: "INTEGER" },
        { name: "large", type: "BIGINT" },
        { name: "amount", type: "BIGNUM" },
        { name: "half", type: "DOUBLE" },
      ],
      rows: [{ one: 1, large: "9007199254740993", amount: "5", half: 1.5 }],
      rowCount: 1,
    });
  });

  it("see every interval once, final ones and those of blocks that may be replaced", async () => {
    const rows = await sql.rows(
      `select account, amount, from_block, to_block from balances where token = '${PLAIN}' order by from_block, account`,
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

  it("have functions that know blocks: in the lake, between its end and finality, and at the head", async () => {
    const last = made.manifest.segments.at(-1)?.last ?? 0;
    expect([last, smallIndex.finalized]).toEqual([101, 110]);
    const holders = (block: string) =>
      sql.rows(
        `select account, amount from holders('${PLAIN.toUpperCase().replace("0X", "0x")}', ${block}) order by 1`,
      );
    expect(await holders("101")).toEqual([{ account: ALICE, amount: "3000000" }]);
    expect(await holders("103")).toEqual([{ account: ALICE, amount: "3000000" }]);
    expect(await holders("109")).toEqual([
      { account: ALICE, amount: "2000000" },
      { account: CAROL, amount: "1000000" },
    ]);
    expect(await holders("head()")).toEqual([
      { account: ALICE, amount: "1499999" },
      { account: CAROL, amount: "1500001" },
    ]);
    expect(
      await sql.rows(`from look_through(token := '${PLAIN}', block := 112) select account, amount order by 1`),
    ).toEqual(await holders("112"));
    expect(await sql.rows(`select token, amount from balances_at('${CAROL}', 109)`)).toEqual([
      { token: PLAIN, amount: "1000000" },
    ]);
    expect(
      await sql.rows(`select account, from_block, to_block from holdings('${PLAIN}', 103, 109) order by 2, 1`),
    ).toEqual([
      { account: ALICE, from_block: 101, to_block: 104 },
      { account: ALICE, from_block: 104, to_block: null },
      { account: BOB, from_block: 104, to_block: 108 },
      { account: CAROL, from_block: 108, to_block: null },
    ]);
  });

  it("find facts, tokens with their names and blocks up to the head", async () => {
    expect(await sql.rows("select count(*) as n, max(number) as last from blocks")).toEqual([{ n: 16, last: 115 }]);
    expect(await sql.rows("select count(*) as n, count(distinct block) as blocks from transfers")).toEqual([
      { n: 10, blocks: 5 },
    ]);
    expect(await sql.rows(`select symbol, decimals, first_block from tokens where token = '${PLAIN}'`)).toEqual([
      { symbol: "T01", decimals: 6, first_block: 101 },
    ]);
    expect(await sql.rows("show tables")).toContainEqual({ name: "holdings" });
    expect((await sql.rows("explain select 1")).length).toBe(1);
  });

  it("do not see tokens that are quarantined, and say so where one is named", async () => {
    expect(await sql.rows(`select * from holdings where token = '${BREAKING}'`)).toEqual([]);
    expect(await sql.rows(`select * from supplies where token = '${BREAKING}'`)).toEqual([]);
    expect(await refusal(`select * from holders('${BREAKING}', 113)`)).toMatch(
      /^SQL_INVALID: line 1, column 15: token: .* is quarantined since block 113/,
    );
    expect(await refusal(`select * from holdings('${BREAKING}', 101, 113)`)).toMatch(/^SQL_INVALID/);
    expect(await refusal(`select * from look_through('${BREAKING}', 114)`)).toMatch(/^TOKEN_NOT_STANDARD/);
  });

  it("come as CSV, lines and Parquet with the same values", async () => {
    const query = `select account, amount, null as nothing, '' as empty, 'a "b", c' as text from holders('${PLAIN}', 112) order by 1`;
    expect(await sql.text(query, "csv")).toBe(
      `account,amount,nothing,empty,text\n${ALICE},1499999,,"","a ""b"", c"\n${CAROL},1500001,,"","a ""b"", c"\n`,
    );
    const rows = await sql.rows(query);
    const lines = (await sql.text(query, "ndjson")).trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual(rows);
    const file = new Uint8Array(await sql.bytes(query, "parquet")).buffer;
    expect(await parquetReadObjects({ file })).toEqual(rows);
  });
});

describe("what is refused", () => {
  it.each([
    [
      `select * from holders('${PLAIN}', 99)`,
      /line 1, column 69: block: block 99 lies before the first indexed block, 100/,
    ],
    [`select * from holders('${PLAIN}', 116)`, /block: block 116 lies above the head, 115/],
    [`select * from holdings('${PLAIN}', 109, 103)`, /to: block 103 lies before "from", 109/],
    [`select * from holdings('${PLAIN}', "to" := 103, "from" := 109)`, /to: block 103 lies before "from", 109/],
    [`select * from holders('${PLAIN}', 10.4)`, /block: must be a block number written out/],
    [`select * from holders('${PLAIN}', 112.0)`, /block: must be a block number written out/],
    [`select * from tokens t, holders(t.token, 101)`, /line 1, column 33: token: must be an address written out/],
    [`select * from holders('${PLAIN}', (select 101))`, /block: must be a block number written out, or head\(\)/],
    [`select * from holders('${PLAIN}')`, /give holders\(token, block\)/],
    ["select\n  a,\n  nope\nfrom (select 1 as a)", /line 3, column 3: Referenced column "nope" not found/],
    ["select 'é', nope(1)", /line 1, column 13: Scalar Function with name nope does not exist/],
    ["selec 1", /line 1, column 1: syntax error/],
    ["", /the statement is empty/],
    ["-- nothing", /the statement is empty/],
    ["select 1; select 2", /one statement at a time/],
    ["select $1", /parameters have no values here/],
    [`select ${"x".repeat(70_000)}`, /longer than 65536 bytes/],
  ])("%s", async (query, problem) => {
    expect(await refusal(query)).toMatch(/^SQL_INVALID: /);
    expect(await refusal(query)).toMatch(problem);
  });

  it("is everything that reads, writes or sets anything else", async () => {
    const statements = [
      `select * from read_text('${outside}/secret.csv')`,
      `select * from '${outside}/secret.csv'`,
      `select * from read_csv('${made.folder}/holding_open/linked/secret.csv')`,
      `select * from read_parquet('${made.folder}/../../etc/passwd')`,
      ...[
        "read_blob",
        "read_json",
        "read_csv_auto",
        "parquet_scan",
        "parquet_metadata",
        "glob",
        "sniff_csv",
        "read_duckdb",
      ].map((name) => `select * from ${name}('${outside}/secret.csv')`),
      ...[
        `copy (select 1) to '${outside}/written.csv'`,
        `export database '${outside}/written'`,
        "call pragma_version()",
      ],
      ...[
        `attach '${outside}/written.db'`,
        "install httpfs",
        "load httpfs",
        "set threads = 9",
        "reset threads",
        "pragma version",
      ],
      ...[
        "create table t (i int)",
        "insert into inside.head values (1)",
        "delete from inside.head",
        "drop view holdings",
      ],
      ...["prepare p as select 1", "execute p", "begin", "commit", "checkpoint", "use memory", "vacuum", "analyze"],
      ...["select * from query('select 1')", "select * from query_table('inside.head')", "select getenv('PATH')"],
      ...["from duckdb_settings()", "from duckdb_secrets()", "from duckdb_views()", "from pragma_database_list()"],
      ...["select current_setting('memory_limit')", "select getvariable('holding_open')", "select nextval('s')"],
      ...[
        "from inside.head",
        "from tail.holding_ended",
        "from memory.inside.head",
        "from sqlite_master",
        "from pg_catalog.pg_class",
      ],
      ...[
        "with d as (delete from inside.head returning 1) from d",
        "explain analyze delete from inside.head",
        "select write_log('x')",
      ],
      ...[
        "from 'https://example.com/a.parquet'",
        "from read_parquet('s3://bucket/a.parquet')",
        "summarize inside.head",
      ],
      // names that a WITH gives elsewhere
      ...["pg_settings", "sqlite_master", "duckdb_views", `"${made.folder}/holding_open/*.parquet"`].map(
        (name) => `select (with ${name} as (select 1) select 1) a, c.* from ${name} c`,
      ),
      ...["from (show variables)", "show variables", "show all tables", "from (show all tables)", "describe"],
      "select * from json_execute_serialized_sql(json_serialize_sql('select 1'))",
      "/* harmless */ set threads = 1 -- select 1",
    ];
    for (const statement of statements) {
      const said = await refusal(statement);
      expect(said, statement).toMatch(/^SQL_INVALID: /);
      expect(said, statement).not.toContain(SECRET);
    }
    expect(readdirSync(outside)).toEqual(["secret.csv"]);
  });

  it("is refused by DuckDB as well, in case our own check lets it through", async () => {
    const session = await sql.engine.session();
    const { connection } = session;
    for (const statement of [
      `from read_text('${outside}/secret.csv')`,
      `from read_text('${made.folder}/../secret.csv')`,
      `copy (select 1) to '${outside}/written.csv'`,
      `attach '${outside}/written.db'`,
      "set enable_external_access = true",
      "set allowed_directories = ['/']",
      "reset memory_limit",
      "install httpfs",
      "create table main.t (i int)",
      "delete from inside.head",
    ])
      await expect(connection.run(statement), statement).rejects.toThrow();
    await session.end();
    expect(readdirSync(outside)).toEqual(["secret.csv"]);
  });
});

describe("limits", () => {
  it("of rows and bytes are named, and an answer that is too long is never a shorter one", async () => {
    expect(await refusal("select * from range(5001)")).toMatch(/^SQL_LIMIT: The statement needs more than 5000 rows/);
    expect((await sql.ask("select * from range(5000)")).rowCount).toBe(5_000);
    expect(await refusal("select repeat('x', 600) from range(2000)")).toMatch(/^SQL_LIMIT: .* more than 1000000 bytes/);
  });

  it("are not the only way a statement ends early: what fails after rows were sent is never a shorter answer", async () => {
    const runner = { ...sql.runner, limits: { seconds: 20, rows: 1_000_000, bytes: 100_000_000 } };
    for (const failsAt of [2, 50_000, 150_000, 199_999])
      for (const format of ["json", "csv", "ndjson", "parquet"] as const) {
        const query = `select case when range = ${failsAt} then error('late') else range end as n from range(200000)`;
        const read = async () => {
          const { pieces } = await runStatement(runner, { query, format });
          for await (const _ of pieces);
        };
        await expect(read(), `${format} ${failsAt}`).rejects.toThrow(/late/);
      }
  });

  it("of time stop a statement that would never end", async () => {
    const cross = "select count(*) from range(1000000) a, range(1000000) b where (a.range * b.range) % 1000003 = 7";
    expect(await refusal(cross)).toMatch(/^SQL_LIMIT: The statement needs more than 2 seconds/);
    const recursive = "with recursive r(i) as (select 1 union all select i + 1 from r) select count(*) from r";
    expect(await refusal(recursive)).toMatch(/^SQL_LIMIT/);
    expect(await sql.rows("select 1 as one")).toEqual([{ one: 1 }]);
  });

  it("of memory name the bound", async () => {
    expect(
      await refusal("select count(*) from (select distinct range, repeat('y', 200) || range from range(30000000))"),
    ).toMatch(/^SQL_LIMIT: The statement needs more than (?:512 megabytes of memory|2 seconds)/);
  });

  it.each([
    ["while it runs", () => AbortSignal.timeout(100)],
    ["before it is run", () => AbortSignal.abort()],
  ])("end a statement whose reader has left %s", async (_, signal) => {
    const query = "select sum(a.range * b.range) from range(10000000) a, range(10000000) b";
    await expect(runStatement(sql.runner, { query, format: "json", signal: signal() })).rejects.toThrow(
      "The client has left",
    );
  });
});

describe("a lake", () => {
  it("with a flipped byte is named, and answered from again when it is mended", async () => {
    const path = made.manifest.segments[0]?.files.find(({ dataset }) => dataset === "holding_open")?.path ?? "";
    const file = join(made.folder, path);
    const right = readFileSync(file);
    const wrong = Buffer.from(right);
    wrong[100] = (wrong[100] ?? 0) ^ 1;
    writeFileSync(file, wrong);
    expect(await refusal("select 1")).toMatch(`SQL_DAMAGED: The lake's file ${path} does not have the sha-256`);
    writeFileSync(file, right.subarray(0, 50));
    expect(await refusal("select 1")).toMatch(/^SQL_DAMAGED/);
    rmSync(file);
    expect(await refusal("select 1")).toMatch("is missing");
    expect(await refusal("select 1")).toMatch(
      /lake\. `npm run lake -- --check` names all such files and writes them again\.$/,
    );
    writeFileSync(file, right);
    const manifest = join(made.folder, "manifest.json");
    const whole = readFileSync(manifest);
    writeFileSync(manifest, whole.subarray(0, 50));
    expect(await refusal("select 1")).toMatch(
      /manifest\.json is not whole, .* Move it away, and `npm run lake` writes the lake anew/,
    );
    writeFileSync(manifest, whole);
    expect(await sql.rows("select 1 as one")).toEqual([{ one: 1 }]);
  });

  it("that grows is taken up, with blocks that became final and others in place of replaced ones", async () => {
    const all = "select ledger, token, account, amount, from_block, to_block from holdings order by all";
    const before = await sql.text(all);
    const { ponderSchema, foldSchema } = smallIndex;
    const blocks = { from: 116, to: 160 };
    await insertBlocks(database.sql, ponderSchema, blocks);
    const move = { kind: "transfer" as const, token: PLAIN, logIndex: 0 };
    await insertFacts(database.sql, ponderSchema, [
      { ...move, block: 120, from: ALICE, to: BOB, amount: 7n },
      { ...move, block: 130, from: CAROL, to: BOB, amount: 1n },
      // the writer waits for as many transfers as there are open rows
      ...Array.from({ length: 12 }, (_, i) => ({
        ...move,
        logIndex: i,
        block: 125,
        token: YOUNG,
        from: BOB,
        to: CAROL,
        amount: 0n,
      })),
      { ...move, block: 150, from: BOB, to: ALICE, amount: 8n },
    ]);
    await followFacts(database.sql, { ponderSchema, foldSchema });
    const grown = await sql.ask(all);
    expect([grown.block, grown.rowCount > JSON.parse(before).rowCount]).toEqual([160, true]);
    await setCheckpoint(database.sql, ponderSchema, 140);
    await followFacts(database.sql, { ponderSchema, foldSchema });
    expect(await sql.rows(all)).toEqual(grown.rows);
    await makeLake(database.url, CHAIN, made.lake);
    expect((await sql.rows(all)).length).toBe(grown.rows.length);
    expect(await sql.rows(all)).toEqual(grown.rows);
    expect(sql.engine.loaded?.lakeLast).toBeGreaterThan(110);
  });

  it("that does not exist leaves statements to rows that are loaded once for each head", async () => {
    const load = vi.spyOn(Tail.prototype, "load");
    const lakeFolder = mkdtempSync(join(tmpdir(), "tidemark-no-lake-"));
    const service = openLastingService({ chains: [chainFixture({ chainId: 31337, startBlock: 100 })], database: read });
    const empty = await openTestSql({ databaseUrl: database.url, chainId: 31337, lakeFolder, service });
    try {
      const ends = "select min(number) as first, max(number) = head() as reaches_the_head from blocks";
      expect(await empty.rows(ends)).toEqual([{ first: 100, reaches_the_head: true }]);
      expect(await empty.rows(ends)).toEqual([{ first: 100, reaches_the_head: true }]);
      expect(load).toHaveBeenCalledTimes(1);
      expect(empty.engine.loaded?.lakeLast).toBe(99);
    } finally {
      load.mockRestore();
      await empty.close();
      rmSync(lakeFolder, { recursive: true, force: true });
    }
  });
});
