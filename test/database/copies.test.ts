// Against a real server: COPY in and out of one connection that is used again, and what becomes of it when the server or the connection fails.
import { buffer } from "node:stream/consumers";
import postgres, { type Sql } from "postgres";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { readCopy, writeCopy } from "../../database/copies.ts";
import { undelayed } from "../../database/undelayed.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

let database: TestDatabase;
let db: Sql;

beforeAll(async () => {
  database = await startTestDatabase();
  await database.sql`create table number (n int4 unique)`;
});
afterAll(() => database.stop());
beforeEach(() => {
  db = postgres(database.url, { max: 1, ...undelayed(), onnotice: () => {} });
});
afterEach(async () => {
  await db.end({ timeout: 1 });
  await database.sql`truncate number`;
});

const lines = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, i) => `${from + i}\n`).join("");

/** The server's word, or the socket's where it came first. */
const LOST = /^(57P01|CONNECTION_CLOSED|EPIPE|ECONNRESET)$/;

const count = async () => (await db`select count(*)::int as count from number`)[0]?.count;

describe("writeCopy", () => {
  const into = "copy number from stdin";

  it("writes rows in pieces of any size", async () => {
    const text = lines(1, 50_000);
    await writeCopy(db, into, [text.slice(0, 3), Buffer.from(text.slice(3, 200_000)), text.slice(200_000)]);
    await writeCopy(db, into, []);
    expect(await count()).toBe(50_000);
  });

  it("throws what the server has against the last row, and the transaction is taken back", async () => {
    const transaction = db.begin((tx) => writeCopy(tx as unknown as Sql, into, [lines(1, 10), "10\n"]));
    await expect(transaction).rejects.toMatchObject({ code: "23505" });
    await expect(writeCopy(db, into, ["1\n", "no number\n"])).rejects.toThrow("invalid input syntax");
    expect(await count()).toBe(0);
  });

  it("throws what the server has against a row amid many", async () => {
    const pieces = function* () {
      yield "no number\n";
      for (let i = 0; i < 2_000; i++) yield lines(1_000 * i + 1, 1_000 * i + 1_000);
    };
    await expect(writeCopy(db, into, pieces())).rejects.toThrow("invalid input syntax");
    expect(await count()).toBe(0);
  });

  it("throws what the statement is refused for, and what its pieces throw", async () => {
    await expect(writeCopy(db, "copy letter from stdin", ["a\n"])).rejects.toMatchObject({ code: "42P01" });
    const pieces = function* () {
      yield lines(1, 10);
      throw new Error("no more rows");
    };
    await expect(writeCopy(db, into, pieces())).rejects.toThrow("no more rows");
    expect(await count()).toBe(0);
  });

  it("throws when its connection is ended before the last row or after it, and the next one is used", async () => {
    for (const isAfterLast of [false, true]) {
      const [row] = await db`select pg_backend_pid() as pid`;
      const end = () => database.sql`select pg_terminate_backend(${row?.pid}, 5000)`;
      // a row that another transaction may still take back keeps the server waiting after the last piece
      const holder = await database.sql.reserve();
      await holder`begin`;
      await holder`insert into number values (10)`;
      const pieces = async function* () {
        yield lines(1, 10);
        if (!isAfterLast) await end();
        yield lines(11, 20);
      };
      const copied = writeCopy(db, into, pieces());
      copied.catch(() => {});
      if (isAfterLast) {
        await expect
          .poll(() => database.sql`select 1 from pg_stat_activity where pid = ${row?.pid} and wait_event_type = 'Lock'`)
          .toHaveLength(1);
        await end();
      }
      await expect(copied).rejects.toMatchObject({ code: expect.stringMatching(LOST) });
      await holder`rollback`;
      holder.release();
      // the driver may use the connection until its socket is closed
      await expect.poll(count).toBe(0);
    }
  });
});

describe("readCopy", () => {
  it("gives all rows, and leaves a connection that answers, however many bytes wait when the last row comes", async () => {
    for (const rows of [0, 1, 100, 200, 300, 400, 500, 1_000, 2_000, 5_000, 20_000]) {
      const text = await readCopy(
        db,
        `copy (select n, repeat('x', 150) from generate_series(1, ${rows}) n) to stdout`,
        buffer,
      );
      const expected = Array.from({ length: rows }, (_, i) => `${i + 1}\t${"x".repeat(150)}\n`).join("");
      expect(text.toString() === expected).toBe(true);
      expect(await db`select 1 as one`).toEqual([{ one: 1 }]);
    }
  });

  it("throws the server's error before the first row and after many, and leaves a connection that answers", async () => {
    await expect(readCopy(db, "copy letter to stdout", buffer)).rejects.toMatchObject({ code: "42P01" });
    for (const last of [1, 100, 2_000, 5_000, 10_000, 20_000, 50_000]) {
      const failing = `copy (select repeat('x', 150), 1 / (${last} - n) from generate_series(1, 60000) n) to stdout`;
      await expect(readCopy(db, failing, buffer)).rejects.toThrow("division by zero");
      expect(await db`select 1 as one`).toEqual([{ one: 1 }]);
    }
  });

  it("throws when its connection is ended, and the next one is used", async () => {
    const [row] = await db`select pg_backend_pid() as pid`;
    const copied = readCopy(db, "copy (select n, pg_sleep(0.001) from generate_series(1, 100000) n) to stdout", buffer);
    copied.catch(() => {});
    await expect
      .poll(() => database.sql`select 1 from pg_stat_activity where pid = ${row?.pid} and query like 'copy%'`)
      .toHaveLength(1);
    await database.sql`select pg_terminate_backend(${row?.pid}, 5000)`;
    await expect(copied).rejects.toMatchObject({ code: expect.stringMatching(LOST) });
    await expect.poll(count).toBe(0);
  });
});
