// The explorer asks what anybody can ask.
import { describe, expect, it } from "vitest";
import { laws, violationsOf } from "./laws.ts";
import { treeOf } from "./source-tree.ts";

const PAGE = "gateway/pages/views/a.tsx";

describe("The law that pages call questions and nothing below them", () => {
  it.each([
    ["the database", "gateway/database/database.ts"],
    ["balances", "gateway/balances/look-through.ts"],
    ["what is behind shares", "gateway/backing/ledger-at.ts"],
    ["a protocol", "gateway/protocols/v3/pool.ts"],
    ["another skin", "gateway/rest/vaults.ts"],
    ["the fold's tables", "fold/tables.ts"],
  ])("finds a page that imports %s", (_, to) => {
    const tree = treeOf({ [PAGE]: `import { a } from "../../../${to}"; export const b = <p>{a}</p>;`, [to]: "" });
    expect(laws["page-doors"](tree)).toEqual([`${PAGE} imports ${to}`]);
  });

  it("finds one that imports a type, or imports later", () => {
    const to = "gateway/catalogue/vaults-at.ts";
    for (const text of [
      'import type { A } from "../../catalogue/vaults-at.ts";',
      'await import("../../catalogue/vaults-at.ts");',
    ])
      expect(laws["page-doors"](treeOf({ [PAGE]: text, [to]: "" }))).toEqual([`${PAGE} imports ${to}`]);
  });

  it("lets pages import questions, errors and each other", () => {
    const files = { "gateway/questions/b.ts": "", "gateway/errors.ts": "", "gateway/pages/parts/c.tsx": "" };
    const text = 'import "../../questions/b.ts"; import "../../errors.ts"; import "../parts/c.tsx";';
    expect(laws["page-doors"](treeOf({ [PAGE]: text, ...files }))).toEqual([]);
  });

  it("is broken by no page", () => {
    expect(violationsOf("page-doors")).toEqual([]);
  });
});
