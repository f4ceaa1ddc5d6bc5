// Ponder's sessions keep the server's own durability, and the lock of the process that holds it.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { afterAll, beforeAll, expect, it } from "vitest";
import { keepCommitsDurable } from "../../../scripts/ponder/durable-commits.ts";
import { keepLock } from "../../../scripts/ponder/held-lock.ts";
import { startTestDatabase, type TestDatabase } from "../../support/test-database.ts";

interface Client {
  connect(): Promise<void>;
  query(text: string | { text: string }, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
  end(): Promise<void>;
}

let database: TestDatabase;
beforeAll(async () => {
  database = await startTestDatabase();
});
afterAll(() => database.stop());

it("a session leaves synchronous_commit as the server has it, and every other statement as it is", async () => {
  keepCommitsDurable();
  const ponder = new URL("../../../node_modules/ponder/dist/esm/bin/ponder.js", import.meta.url);
  const { Client } = createRequire(ponder)("pg") as { Client: new (settings: object) => Client };
  const client = new Client({ connectionString: database.url });
  await client.connect();
  await client.query("\n SET synchronous_commit = off;\n SET idle_in_transaction_session_timeout = 3600000;");
  const show = async (name: string) => (await client.query(`show ${name}`)).rows[0]?.[name];
  expect([await show("synchronous_commit"), await show("idle_in_transaction_session_timeout")]).toEqual(["on", "1h"]);
  expect((await client.query("select $1::int + 1 as two", [1])).rows).toEqual([{ two: 2 }]);
  await client.end();
});

it("a session takes no lock off a schema when it ends, and reports that it is alive", async () => {
  keepLock();
  const ponder = new URL("../../../node_modules/ponder/dist/esm/bin/ponder.js", import.meta.url);
  const { Client } = createRequire(ponder)("pg") as { Client: new (settings: object) => Client };
  const source = readFileSync(new URL("../database/index.js", ponder), "utf8");
  const said = source.match(/sql `(jsonb_set\(value, '\{is_locked\}'.*)` }/)?.[1];
  const client = new Client({ connectionString: database.url });
  await client.connect();
  await client.query(`create table _ponder_meta as select '{"is_locked": 1}'::jsonb as value`);
  const held = async () => (await client.query("select value->>'is_locked' as held from _ponder_meta")).rows[0]?.held;
  await client.query({ text: `update _ponder_meta set "value" = ${said}` });
  expect(await held()).toBe("1");
  await client.query(`update _ponder_meta set value = jsonb_set(value, '{is_locked}', '0')`);
  expect(await held()).toBe("0");
  await client.end();
});
