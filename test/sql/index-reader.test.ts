// The index as the SQL process reads it: a disk that is full on the way.
import { existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { IndexReader } from "../../sql/index-reader.ts";
import { buildIndex } from "../support/index-fixture.ts";
import { smallIndex } from "../support/small-index.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

let database: TestDatabase;
let reader: IndexReader;
let folder: string;

beforeAll(async () => {
  database = await startTestDatabase();
  await buildIndex(database.sql, smallIndex);
  reader = new IndexReader(database.url, 31337);
  folder = mkdtempSync(join(tmpdir(), "tidemark-reader-"));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await reader?.close();
  await database?.stop();
});

const TEXT = "select n, repeat('x', 1000) from generate_series(1, 20000) n";
const copyTo = (place: string) =>
  reader.read(({ copy }) => copy(TEXT, { folder: place, name: "rows", take: async () => {} }));

describe("the index reader", () => {
  it.skipIf(!existsSync("/dev/full"))(
    "says that the disk is full, leaves no part of a file, and goes on reading",
    async () => {
      for (let turn = 0; turn < 3; turn++) {
        symlinkSync("/dev/full", join(folder, "rows-0.csv"));
        await expect(copyTo(folder)).rejects.toThrow("ENOSPC");
        expect(readdirSync(folder)).toEqual([]);
      }
      expect((await reader.head()).block).toBe(115);
    },
  );

  it("says that a file cannot be made, and goes on reading", async () => {
    for (let turn = 0; turn < 3; turn++) await expect(copyTo(join(folder, "gone"))).rejects.toThrow("ENOENT");
    expect((await reader.head()).block).toBe(115);
  });
});
