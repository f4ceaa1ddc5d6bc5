// What `npm run fuzz:sql` takes for a file that a statement has left in the lake.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { claimFolder } from "../../lake/folder-claim.ts";
import { strayFiles } from "../../trials/sql-fuzz/folder-state.ts";

const folder = mkdtempSync(join(tmpdir(), "tidemark-lake-"));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it("the stray files are not those by which a writer claims its folder", async () => {
  const claim = await claimFolder(folder, new AbortController().signal);
  try {
    expect(await strayFiles(folder)).toEqual([]);
  } finally {
    claim.release();
  }
});
