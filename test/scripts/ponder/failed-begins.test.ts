// Connections of a pool such as Ponder makes, by the drizzle-orm and the pg that it loads.
import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import { afterAll, beforeAll, expect, it } from "vitest";
import { giveBackFailedBegins } from "../../../scripts/ponder/failed-begins.ts";
import { type PonderPool, startPonderPool } from "../../support/ponder-pool.ts";
import { startTestDatabase, type TestDatabase } from "../../support/test-database.ts";

let database: TestDatabase;
let pool: PonderPool;

beforeAll(async () => {
  giveBackFailedBegins();
  database = await startTestDatabase();
  pool = startPonderPool({ connectionString: database.url, max: 2, connectionTimeoutMillis: 2_000 });
});
afterAll(async () => {
  await pool?.end();
  await database?.stop();
});

it("a connection whose transaction cannot begin is given back, and not lent again", async () => {
  const db = drizzle(pool as never);
  const ofNoKind = { isolationLevel: "of no kind" as "serializable" };
  for (let i = 0; i < 3; i++)
    await expect(db.transaction(async () => {}, ofNoKind)).rejects.toMatchObject({ code: "42601" });
  expect([pool.totalCount, pool.idleCount]).toEqual([0, 0]);
  const ones = await db.transaction(async (tx) => (await tx.execute(sql`select 1 as one`)).rows);
  expect(ones).toEqual([{ one: 1 }]);
  expect([pool.totalCount, pool.idleCount]).toEqual([1, 1]);
});
