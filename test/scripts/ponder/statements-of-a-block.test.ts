// What Ponder says to the database for each block, by Ponder's own functions: fewer statements and triggers, the same rows and copies.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { leaveLiveQueriesOut } from "../../../scripts/ponder/live-queries.ts";
import { copyRowsTogether } from "../../../scripts/ponder/row-copies.ts";
import { skipUntouchedTables } from "../../../scripts/ponder/untouched-tables.ts";
import { startTestDatabase, type TestDatabase } from "../../support/test-database.ts";

interface Client {
  connect(): Promise<void>;
  query(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[]; rowCount: number | null }>;
  end(): Promise<void>;
}
type Query = (db: { execute(text: string): unknown }) => unknown;

const ponder = new URL("../../../node_modules/ponder/dist/esm/bin/ponder.js", import.meta.url);
const load = createRequire(ponder);
const { Client } = load("pg") as { Client: new (settings: object) => Client };
const { drizzle } = load("drizzle-orm/node-postgres");
const { integer, pgSchema } = load("drizzle-orm/pg-core");
const actions = (await import(new URL("../database/actions.js", ponder).href)) as Record<
  "createTriggers" | "dropTriggers" | "createLiveQueryTriggers" | "commitBlock",
  (db: object, about: object) => Promise<void>
>;
const tables: object[] = ["fact", "other"].map((name) =>
  pgSchema("facts").table(name, { block: integer().primaryKey(), logIndex: integer("log_index") }),
);
const COMMIT = (table: string) =>
  `update "facts"."_reorg__${table}" set "checkpoint" = $1 where "facts"."_reorg__${table}"."checkpoint" = $2`;
const NOT_YET = "9".repeat(75);

/** All statements that Ponder's function would send. */
async function textsOf(action: keyof typeof actions): Promise<string[]> {
  const texts: string[] = [];
  const db = {
    transaction: (run: (tx: object) => unknown) => run(db),
    wrap: (...given: unknown[]) => (given.at(-1) as Query)({ execute: (text) => texts.push(text) }),
  };
  await actions[action](db, { tables, namespaceBuild: { schema: "facts" } });
  return texts;
}

let database: TestDatabase;
/** Made before anything is rewritten: it sends what Ponder sends by itself. */
let plain: Client["query"];
let client: Client;
beforeAll(async () => {
  database = await startTestDatabase();
  plain = Client.prototype.query;
  leaveLiveQueriesOut();
  copyRowsTogether();
  skipUntouchedTables();
  client = new Client({ connectionString: database.url });
  await client.connect();
  await client.query("set search_path to facts");
});
afterAll(async () => {
  await client.end();
  await database.stop();
});
beforeEach(async () => {
  await database.sql.unsafe(`
    drop schema if exists facts cascade; create schema facts; set search_path to facts; create sequence operation_id;
    create table _ponder_checkpoint (chain_name text primary key);
    create function live_query() returns trigger language plpgsql as $$ begin
      insert into live_query_tables values (tg_table_name) on conflict do nothing; return null; end $$;
    create function live_query_notify() returns trigger language plpgsql as $$ begin return null; end $$`);
  for (const table of ["fact", "other"])
    await database.sql.unsafe(`
      set search_path to facts; create table ${table} (block int, log_index int, primary key (block, log_index));
      create table _reorg__${table} (block int, log_index int,
        operation_id int primary key default nextval('operation_id'), operation int not null, checkpoint varchar(75) not null)`);
});

const run = async (action: keyof typeof actions): Promise<void> => {
  for (const text of await textsOf(action)) await client.query(text);
};
const copies = () =>
  database.sql`select block, log_index, operation, checkpoint from facts._reorg__fact order by operation_id`.values();

describe("copies of rows that are not final", () => {
  it("are made of every row of a statement, in its order, and of rows that are deleted", async () => {
    await run("createTriggers");
    await client.query("insert into fact values (7, 2), (7, 0), (7, 1)");
    await client.query("delete from fact where log_index = 2");
    expect(await copies()).toEqual([
      [7, 2, 0, NOT_YET],
      [7, 0, 0, NOT_YET],
      [7, 1, 0, NOT_YET],
      [7, 2, 2, NOT_YET],
    ]);
  });

  it("are made once where Ponder starts again, also on triggers that it had made by itself", async () => {
    for (const text of await textsOf("createTriggers")) await plain.call(client, text);
    await run("createTriggers");
    await run("createTriggers");
    await client.query("insert into fact values (7, 0), (7, 1)");
    expect(await copies()).toEqual([
      [7, 0, 0, NOT_YET],
      [7, 1, 0, NOT_YET],
    ]);
  });

  it("are not made while Ponder takes blocks back", async () => {
    await run("createTriggers");
    await run("dropTriggers");
    await client.query("insert into fact values (7, 0)");
    await client.query("delete from fact");
    expect(await copies()).toEqual([]);
  });

  it("get their block's place in the transaction that made them, and of no other table is a statement sent", async () => {
    await run("createTriggers");
    const [backend] = (await client.query("select pg_backend_pid() as pid")).rows;
    await client.query("begin");
    await client.query(`insert into "facts"."fact" values (7, 0), (7, 1)`);
    expect((await client.query(COMMIT("fact"), ["at 7", NOT_YET])).rowCount).toBe(2);
    expect((await client.query(COMMIT("other"), ["at 7", NOT_YET])).rowCount).toBe(0);
    const [seen] = await database.sql`select query from pg_stat_activity where pid = ${String(backend?.pid)}`;
    expect(seen?.query).toBe(COMMIT("fact"));
    await client.query("commit");
    expect((await copies()).map(([, , , checkpoint]) => checkpoint)).toEqual(["at 7", "at 7"]);
  });

  it("are asked about outside of a transaction, whatever was named before", async () => {
    await database.sql`insert into facts._reorg__other (block, log_index, operation, checkpoint) values (7, 0, 0, ${NOT_YET})`;
    expect((await client.query(COMMIT("other"), ["at 7", NOT_YET])).rowCount).toBe(1);
  });
});

describe("Ponder's live queries", () => {
  it("are sent nothing: no table is made for a block, and triggers that were there are gone", async () => {
    for (const text of await textsOf("createLiveQueryTriggers")) await plain.call(client, text);
    await run("createLiveQueryTriggers");
    await client.query("begin");
    await client.query("CREATE TEMP TABLE live_query_tables (table_name TEXT PRIMARY KEY) ON COMMIT DROP");
    await client.query("insert into fact values (7, 0)");
    expect((await client.query("select to_regclass('live_query_tables') as made")).rows).toEqual([{ made: null }]);
    await client.query("commit");
    expect(await database.sql`select tgname from pg_trigger where tgname like 'live%'`).toEqual([]);
  });
});

it("our code knows the words by which Ponder makes its table of live queries and gives copies their block", async () => {
  const source = readFileSync(new URL("../runtime/multichain.js", ponder), "utf8");
  expect(source).toMatch(
    /CREATE TEMP TABLE \$\{getLiveQueryTempTableName\(\)\} \(table_name TEXT PRIMARY KEY\) ON COMMIT DROP/,
  );
  let said: string | undefined;
  const wrap = (_label: object, query: (db: object) => { toSQL(): { sql: string } }) => {
    said = query(drizzle.mock()).toSQL().sql;
  };
  const about = { table: tables[1], checkpoint: "at 7", preBuild: { ordering: "multichain" } };
  await actions.commitBlock({ wrap }, about);
  expect(said).toBe(COMMIT("other"));
});
