// Nothing in the project imports itself, however long the way round.
import { describe, expect, it } from "vitest";
import { importCircles, importsInCircles } from "./import-graph.ts";
import { violationsOf } from "./laws.ts";
import { treeOf } from "./source-tree.ts";

describe("The law against circles of imports", () => {
  it("finds a circle of values, and names its files but no file that only leads into it", () => {
    const tree = treeOf({
      "core/a.ts": 'import { b } from "./b.ts"; export const a = b;',
      "core/b.ts": 'import { c } from "../fold/c.ts"; export const b = c;',
      "fold/c.ts": 'import { a } from "../core/a.ts"; export const c = a;',
      "fold/main.ts": 'import { c } from "./c.ts"; c();',
    });
    expect(importCircles(tree)).toEqual([["core/a.ts", "core/b.ts", "fold/c.ts"]]);
  });

  it("finds a circle that only types close", () => {
    const tree = treeOf({
      "gateway/a.ts": 'import type { B } from "./b.ts"; export type A = B;',
      "gateway/b.ts": 'import { type A, a } from "./a.ts"; export type B = A;',
    });
    expect(importCircles(tree)).toEqual([["gateway/a.ts", "gateway/b.ts"]]);
  });

  it.each([
    ["a re-export", 'export * from "./b.ts";'],
    ["an import for its effect", 'import "./b.ts";'],
    ["a dynamic import", 'export const later = () => import("./b.ts");'],
    ["the type of an import", 'export type A = import("./b.ts").B;'],
    ["an import without a file's ending", 'import { b } from "./b";'],
  ])("follows %s", (_, text) => {
    const tree = treeOf({ "core/a.ts": text, "core/b.ts": 'import { a } from "./a.ts";' });
    expect(importCircles(tree)).toEqual([["core/a.ts", "core/b.ts"]]);
  });

  it("finds a file that imports itself", () => {
    expect(importCircles(treeOf({ "core/a.ts": 'import { a } from "./a.ts";' }))).toEqual([["core/a.ts"]]);
  });

  it("tells two circles apart, and does not take a diamond for one", () => {
    const tree = treeOf({
      "a.ts": 'import "./b.ts"; import "./c.ts";',
      "b.ts": 'import "./d.ts";',
      "c.ts": 'import "./d.ts"; import "./e.ts";',
      "d.ts": "",
      "e.ts": 'import "./f.ts"; import "./a2.ts";',
      "f.ts": 'import "./e.ts";',
      "a2.ts": 'import "./b2.ts";',
      "b2.ts": 'import "./a2.ts";',
    });
    expect(importCircles(tree)).toEqual([
      ["a2.ts", "b2.ts"],
      ["e.ts", "f.ts"],
    ]);
  });

  it("lists the imports within a circle one by one, so that each that is taken away makes the list shorter", () => {
    const tree = treeOf({
      "a.ts": 'import "./b.ts"; import "./c.ts";',
      "b.ts": 'import "./a.ts";',
      "c.ts": 'import "./b.ts";',
      "d.ts": 'import "./a.ts";',
    });
    expect(importsInCircles(tree)).toEqual([
      "a.ts imports b.ts",
      "a.ts imports c.ts",
      "b.ts imports a.ts",
      "c.ts imports b.ts",
    ]);
  });

  it("is broken by no import of the project", () => {
    expect(violationsOf("import-graph")).toEqual([]);
  });
});
