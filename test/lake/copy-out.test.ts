// Rows out of PostgreSQL through a connection that is used again: the driver's pauses, and a sink that fails.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { copyOut } from "../../lake/copy-out.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

let database: TestDatabase;
let folder: string;

beforeAll(async () => {
  database = await startTestDatabase();
  folder = mkdtempSync(join(tmpdir(), "tidemark-copy-"));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await database.stop();
});

describe("copyOut", () => {
  it("leaves a connection that answers, however many bytes wait when the last row comes", async () => {
    const db = postgres(database.url, { max: 1, onnotice: () => {} });
    for (const rows of [0, 1, 100, 200, 300, 400, 500, 1_000, 2_000, 5_000, 20_000]) {
      const texts: string[] = [];
      const take = async (file: string) => void texts.push(readFileSync(file, "utf8"));
      await copyOut(db, `select n, repeat('x', 150) from generate_series(1, ${rows}) n`, {
        folder,
        name: "rows",
        take,
      });
      const lines = texts.join("").split("\n");
      expect(lines.length).toBe(rows + 1);
      expect(lines.slice(0, -1).every((line, i) => line === `${i + 1},${"x".repeat(150)}`)).toBe(true);
      expect(await db`select 1 as one`).toEqual([{ one: 1 }]);
    }
    await db.end();
  });

  it("throws what its sink says, and leaves a connection that answers", async () => {
    const db = postgres(database.url, { max: 1, onnotice: () => {} });
    const take = async () => {
      throw new Error("no room");
    };
    const copied = copyOut(db, "select n, null from generate_series(1, 100000) n", { folder, name: "lost", take });
    await expect(copied).rejects.toThrow("no room");
    const missing = copyOut(db, "select n", { folder: join(folder, "missing"), name: "lost", take });
    await expect(missing).rejects.toThrow('column "n" does not exist');
    const unwritten = copyOut(db, "select 1", { folder: join(folder, "missing"), name: "lost", take });
    await expect(unwritten).rejects.toThrow("ENOENT");
    expect(await db`select 1 as one`).toEqual([{ one: 1 }]);
    await db.end();
  });

  it("leaves no part of a file when its connection is lost", async () => {
    const db = postgres(database.url, { max: 1, onnotice: () => {} });
    const [own] = await db`select pg_backend_pid() as pid`;
    const place = mkdtempSync(join(folder, "place-"));
    const copied = copyOut(db, "select generate_series(1, 3000000) as n, repeat('x', 1000)", {
      ...{ folder: place, name: "rows" },
      take: async () => {},
    });
    copied.catch(() => {});
    await expect.poll(() => readdirSync(place), { timeout: 20_000 }).toHaveLength(1);
    await database.sql`select pg_terminate_backend(${own?.pid}, 5000)`;
    await expect(copied).rejects.toMatchObject({ code: expect.stringMatching(/^(?:ECONNRESET|CONNECTION_CLOSED)$/) });
    expect(readdirSync(place)).toEqual([]);
    await db.end({ timeout: 1 });
  });
});
