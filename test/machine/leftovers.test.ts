// What processes that were ended in the middle leave behind.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ownName, removeLeftovers } from "../../machine/leftovers.ts";

it("a folder that a process which is gone had of its own is removed, and no other", () => {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-leftovers-"));
  try {
    const { pid } = spawnSync("true");
    const gone = [ownName("work", pid), `${ownName("work", pid)}-aB3x`];
    const others = [
      ownName("work"),
      `${ownName("work")}-aB3x`,
      ownName("works", pid),
      `${ownName("work", pid)}1x`,
      "work-",
    ];
    for (const name of [...gone, ...others]) mkdirSync(join(folder, name));
    for (const name of gone) writeFileSync(join(folder, name, "rows.csv"), "1");
    removeLeftovers(folder, "work");
    expect(readdirSync(folder).sort()).toEqual(others.sort());
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
