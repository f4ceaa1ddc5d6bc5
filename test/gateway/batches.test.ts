// Rows of a cursor: how far the server goes before they are taken, and what is left of a connection afterwards.
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Connection, type Database, openDatabase } from "../../gateway/database/database.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

let test: TestDatabase;
let database: Database & { close(): Promise<void> };

beforeAll(async () => {
  test = await startTestDatabase();
  database = openDatabase(test.url);
});

afterAll(async () => {
  await database?.close();
  await test?.stop();
});

interface Row {
  n: string;
  /** Milliseconds since 1970. */
  made_at: number;
}

/** A connection in a transaction, and batches of two of the numbers from 1 on, `made` says how many there are so far. */
async function counting(upTo: number) {
  const name = `made_${upTo}`;
  await test.sql.unsafe(`create sequence ${name}`);
  const connection: Connection = await database.connect();
  await connection.run("begin");
  const text = `
    select nextval('${name}')::text as n, extract(epoch from clock_timestamp())::float8 * 1000 as made_at
      from generate_series(1, $1::int4)`;
  const batches = connection.batches<Row>(text, [String(upTo)], 2);
  const made = async () => {
    const [row] = await test.sql.unsafe(`select case when is_called then last_value else 0 end as n from ${name}`);
    return Number(row?.n);
  };
  return { connection, batches, made };
}

const numbers = (rows: readonly Row[]) => rows.map(({ n }) => Number(n));

it("the server makes the next batch while this process uses the one before, and no further one", async () => {
  const { connection, batches, made } = await counting(9);
  expect(numbers((await batches.next()).value)).toEqual([1, 2]);
  const busyUntil = Date.now() + 300;
  while (Date.now() < busyUntil);
  await new Promise((done) => setTimeout(done, 300));
  expect(await made()).toBe(4);
  const second: Row[] = (await batches.next()).value;
  expect(numbers(second)).toEqual([3, 4]);
  for (const { made_at } of second) expect(made_at).toBeLessThan(busyUntil);
  const rest = [];
  for (let next = await batches.next(); !next.done; next = await batches.next()) rest.push(...numbers(next.value));
  expect(rest).toEqual([5, 6, 7, 8, 9]);
  expect((await batches.next()).done).toBe(true);
  await connection.run("rollback");
  connection.release();
});

it("stopping early closes a cursor whose next batch is on its way, so that its connection can be used again", async () => {
  const { connection, batches, made } = await counting(20);
  await batches.next();
  await batches.return?.();
  expect(await connection.rows<{ one: number }>("select 1 as one")).toEqual([{ one: 1 }]);
  expect(await made()).toBe(4);
  await connection.run("rollback");
  connection.release();
});

it("a call ends the batches that nobody took to their end, behind which a statement would wait for ever", async () => {
  const { connection, batches, made } = await counting(21);
  const others = connection.batches("select 1 as one", [], 2);
  await batches.next();
  await connection.endBatches();
  expect(await connection.rows<{ one: number }>("select 1 as one")).toEqual([{ one: 1 }]);
  expect(await made()).toBe(4);
  expect((await others.next()).value).toEqual([{ one: 1 }]);
  expect((await others.next()).done).toBe(true);
  await connection.endBatches();
  await connection.run("rollback");
  connection.release();
});

it("the time in which rows wait for their reader counts for no limit of the server's", async () => {
  const connection = await database.connect();
  await connection.run("begin; set local statement_timeout = '200ms'");
  const read: number[] = [];
  const batches = connection.batches<{ n: number }>("select n from generate_series(1, $1::int4) n", ["7"], 2);
  for (let next = await batches.next(); !next.done; next = await batches.next()) {
    read.push(...next.value.map(({ n }) => n));
    await new Promise((done) => setTimeout(done, 150));
  }
  expect(read).toEqual([1, 2, 3, 4, 5, 6, 7]);
  await connection.run("rollback");
  connection.release();
});

it("a cursor gives the rows before a failure, which the next call throws, and leaves the connection to a rollback", async () => {
  const connection = await database.connect();
  await connection.run("begin");
  const batches = connection.batches("select 1 / (4 - n) as n from generate_series($1::int4, 9) n", ["1"], 2);
  expect((await batches.next()).value).toHaveLength(2);
  await expect(batches.next()).rejects.toThrow("division by zero");
  await batches.return?.();
  await connection.run("rollback");
  expect(connection.isLost).toBe(false);
  expect(await connection.rows("select 1 as one")).toEqual([{ one: 1 }]);
  connection.release();
});
