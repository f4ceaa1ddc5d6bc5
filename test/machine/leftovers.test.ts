// What processes that were ended in the middle leave behind.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { ownName, removeLeftovers } from "../../machine/leftovers.ts";
import { ownPartials, partialOf } from "../../machine/partial-file.ts";

it("a file that a killed run was writing beside another is removed by the next run, and what this process writes when it is stopped", () => {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-leftovers-"));
  try {
    const file = join(folder, "a(b.csv");
    const [first, second] = [partialOf(file), partialOf(join(folder, "other.csv"))];
    const gone = first.replace(`-${process.pid}-`, `-${spawnSync("true").pid}-`);
    for (const path of [gone, first, second]) writeFileSync(path, "");
    const third = partialOf(file);
    expect([third === first, dirname(third), existsSync(gone)]).toEqual([false, folder, false]);
    expect(ownPartials(file)).toEqual([first]);
    expect([ownPartials(join(folder, "nowhere", "a.csv")), partialOf(join(folder, "nowhere", "a.csv"))]).toEqual([
      [],
      expect.stringContaining("a.csv.partial-"),
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

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
