// A lake whose folder cannot be written, or is taken away while the writer works: what the operator reads.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDuck } from "../../lake/duck.ts";
import { isDiskFull, LakeFolderError, namingFolder } from "../../lake/folder-error.ts";
import { makeFolder } from "../../machine/make-folder.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-folder-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe("The error of a lake's folder", () => {
  it("names the folder and the way out, whatever the system or DuckDB says of it", async () => {
    const lake = join(folder, "gone");
    const duck = await openDuck(join(folder, "work"));
    const failures = [
      await failureOf(readdir(join(lake, "31337", ".aside"))),
      await failureOf(writeFile(join(lake, "31337", "manifest.json"), "")),
      await failureOf(duck.run(`copy (select 1) to '${lake}/31337/.aside/block.parquet' (format parquet)`)),
    ];
    duck.close();
    for (const failure of failures) {
      const named = namingFolder(failure, lake);
      expect(named).toBeInstanceOf(LakeFolderError);
      expect(String(named)).toContain(`LAKE: ${lake} cannot be written, or was taken away (`);
      expect(String(named)).toContain("put the folder back");
    }
  });

  it("is a full disk's where DuckDB has no room there for what does not fit into memory", async () => {
    const duck = await openDuck(folder);
    await duck.run("set memory_limit = '30MB'; set max_temp_directory_size = '1MB'");
    const sorted = "select range, repeat(md5(range::VARCHAR), 4) as text from range(1000000) order by hash(range)";
    const failure = await failureOf(duck.run(`copy (${sorted}) to '${folder}/sorted.parquet' (format parquet)`));
    duck.close();
    expect(failure).toBeInstanceOf(Error);
    expect(String(failure)).toContain("Out of Memory");
    expect(isDiskFull(failure)).toBe(true);
    expect(isDiskFull(new Error("Out of Memory Error: could not allocate block"))).toBe(false);
  });

  it("leaves errors alone that are of something else", async () => {
    const elsewhere = await failureOf(readdir(join(folder, "other")));
    const others = [elsewhere, new Error("Block 5 is final and not among the facts"), "text"];
    expect(others.map((error) => namingFolder(error, join(folder, "gone")))).toEqual(others);
  });
});

describe("Making a folder", () => {
  it("makes those above it, and leaves one that is there as it is", () => {
    makeFolder(join(folder, "a", "b"));
    writeFileSync(join(folder, "a", "b", "file"), "");
    mkdirSync(join(folder, "a", "c"));
    makeFolder(join(folder, "a", "b"));
    makeFolder(join(folder, "a", "c", "d"));
    expect(() => makeFolder(join(folder, "a", "b", "file", "e"))).toThrow("EEXIST");
  });

  it("ends where nothing can be made in a folder that is there", () => {
    expect(() => makeFolder("/proc/tidemark/lake")).toThrow(/\/proc\/tidemark'/);
  });
});
