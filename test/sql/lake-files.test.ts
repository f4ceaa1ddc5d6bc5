// Files of a lake that the file system refuses are named like damaged ones: an answer of 500 would say nothing. The record of those that
// were right may be refused.
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
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

it("Files that are right are answered from where it cannot be recorded that they are, as on a full disk; nothing is left beside the record.", async () => {
  const right = { ...file, sha256: createHash("sha256").update("1").digest("hex") };
  const lake = join(folder, "right");
  mkdirSync(join(lake, "block"), { recursive: true });
  writeFileSync(join(lake, path), "1");
  const content = { ...manifest, root: rootOf([right]), segments: [{ ...manifest.segments[0], files: [right] }] };
  writeFileSync(join(lake, "manifest.json"), manifestText(content as Manifest));
  // a file in place of the record's folder, and a folder in place of the record
  writeFileSync(join(folder, "plain"), "");
  mkdirSync(join(folder, "taken", "verified.json"), { recursive: true });
  for (const record of ["plain/verified.json", "taken/verified.json"])
    expect(await new LakeFiles(lake, join(folder, record)).verified()).toEqual(content);
  expect(readdirSync(join(folder, "taken"))).toEqual(["verified.json"]);
});
