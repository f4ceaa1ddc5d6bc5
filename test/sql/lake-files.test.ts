// Files of a lake that the file system refuses are named like damaged ones: an answer of 500 would say nothing.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Manifest, manifestText, rootOf } from "../../lake/manifest.ts";
import { LakeFiles } from "../../sql/lake-files.ts";

const path = "block/0000000000-0000000001.parquet";
const file = { dataset: "block", path, rows: 1, bytes: 1, sha256: "0".repeat(64), min: {}, max: {} };
const manifest: Manifest = {
  ...{ format: 1, chainId: 1, chain: "one", schema: {}, root: rootOf([file]) },
  rule: { segmentBlocks: 2, segmentTransfers: 1 },
  segments: [{ first: 0, last: 1, hash: "0x", writer: "duckdb", files: [file] }],
};

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-files-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const verified = () => new LakeFiles(folder, join(folder, "verified.json")).verified();
const damaged = (name: string, code: string) => ({
  ...{ code: "SQL_DAMAGED", status: 503, details: { path: name } },
  message: expect.stringContaining(`${name} cannot be read (${code})`),
});

it("A manifest or a file that cannot be read is named, with what the file system says.", async () => {
  mkdirSync(join(folder, "manifest.json"));
  await expect(verified()).rejects.toMatchObject(damaged("manifest.json", "EISDIR"));
  rmSync(join(folder, "manifest.json"), { recursive: true });
  writeFileSync(join(folder, "manifest.json"), manifestText(manifest));
  mkdirSync(join(folder, path), { recursive: true });
  await expect(verified()).rejects.toMatchObject(damaged(path, "EISDIR"));
  rmSync(join(folder, "block"), { recursive: true });
  writeFileSync(join(folder, "block"), "");
  await expect(verified()).rejects.toMatchObject(damaged(path, "ENOTDIR"));
});
