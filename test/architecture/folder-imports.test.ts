// The table of folders in docs/overview.md is true of the code.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { importsBeyondTable, importTableOf } from "./folder-imports.ts";
import { projectTree, treeOf } from "./source-tree.ts";

const table = importTableOf(readFileSync(new URL("../../docs/overview.md", import.meta.url), "utf8"));
const brokenIn = (from: string, to: string) =>
  importsBeyondTable(treeOf({ [from]: `import "${"../".repeat(from.split("/").length - 1)}${to}";`, [to]: "" }), table);

describe("The table of what folders may import", () => {
  it.each([
    ["core/math/a.ts", "fold/b.ts"],
    ["lake/a.ts", "sql/b.ts"],
    ["sql/a.ts", "fold/ledger.ts"],
    ["chains/a.ts", "core/b.ts"],
    ["gateway/rest/a.ts", "scripts/b.ts"],
  ])("forbids %s to import %s", (from, to) => {
    expect(brokenIn(from, to)).toEqual([`${from} imports ${to}`]);
  });

  it.each([
    ["lake/pruned/a.ts", "gateway/b.ts"],
    ["sql/a.ts", "fold/tables.ts"],
    ["test/a.ts", "src/b.ts"],
    ["core/router/a.ts", "core/math/b.ts"],
  ])("allows %s to import %s", (from, to) => {
    expect(brokenIn(from, to)).toEqual([]);
  });

  it("has every folder of code", () => {
    expect(importsBeyondTable(treeOf({ "attic/a.ts": "" }), table)).toEqual(["attic/ is not in the table"]);
  });

  it("says in words what a cell without a place means", () => {
    expect(() => importTableOf("| `a/` | holds | – |")).toThrow('"–" names no place');
  });

  it("is kept by the project's code", () => {
    expect(importsBeyondTable(projectTree(), table)).toEqual([]);
  });
});
