// Rows of a real PostgreSQL, copied out one statement after the other on one connection.
import { mkdtempSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { copyToFile } from "../../lake/copy-out.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

let database: TestDatabase;
const folder = mkdtempSync(join(tmpdir(), "tidemark-copy-"));
beforeAll(async () => {
  database = await startTestDatabase();
});
afterAll(async () => {
  await database?.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe("a COPY", () => {
  it("leaves a connection that answers, though its last rows came faster than the file takes them", async () => {
    const db = await database.sql.reserve();
    try {
      // whether they do is chance: often enough for one of them
      for (let count = 0; count <= 12_000; count += 400) {
        const file = join(folder, `${count}.csv`);
        await copyToFile(db, `select repeat('x', 100) from generate_series(1, ${count})`, file);
        expect(await readFile(file, "utf8")).toBe(`${"x".repeat(100)}\n`.repeat(count));
        expect([...(await db`select 1 as one`)]).toEqual([{ one: 1 }]);
      }
    } finally {
      db.release();
    }
  });
});
