// Ponder's sessions keep the server's own durability.
import { createRequire } from "node:module";
import { afterAll, beforeAll, expect, it } from "vitest";
import { keepCommitsDurable } from "../../scripts/ponder/durable-commits.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

interface Client {
  connect(): Promise<void>;
  query(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
  end(): Promise<void>;
}

let database: TestDatabase;
beforeAll(async () => {
  database = await startTestDatabase();
});
afterAll(() => database.stop());

it("leaves synchronous_commit as the server has it, and every other statement as it is", async () => {
  keepCommitsDurable();
  const ponder = new URL("../../node_modules/ponder/dist/esm/bin/ponder.js", import.meta.url);
  const { Client } = createRequire(ponder)("pg") as { Client: new (settings: object) => Client };
  const client = new Client({ connectionString: database.url });
  await client.connect();
  await client.query("\n SET synchronous_commit = off;\n SET idle_in_transaction_session_timeout = 3600000;");
  const show = async (name: string) => (await client.query(`show ${name}`)).rows[0]?.[name];
  expect([await show("synchronous_commit"), await show("idle_in_transaction_session_timeout")]).toEqual(["on", "1h"]);
  expect((await client.query("select $1::int + 1 as two", [1])).rows).toEqual([{ two: 2 }]);
  await client.end();
});
