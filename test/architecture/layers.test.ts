// In the gateway every import leads down.
import { describe, expect, it } from "vitest";
import { gatewayFloors } from "./gateway-floors.ts";
import { laws, violationsOf } from "./laws.ts";
import { type Floor, upwardImports } from "./layers.ts";
import { treeOf } from "./source-tree.ts";

const floors: readonly Floor[] = [
  { name: "skins", rooms: [["gateway/rest/"], ["gateway/graphql/"]] },
  { name: "questions", rooms: [["gateway/questions/"]] },
  { name: "balances", rooms: [["gateway/balances/"]] },
  { name: "ground", rooms: [["gateway/errors.ts", "gateway/balances/share.ts"]] },
];
const brokenIn = (files: Record<string, string>) => upwardImports(treeOf(files), "gateway/", floors);

describe("The law that arrows run downwards only", () => {
  it("finds a question that imports a skin, a type as well as a value", () => {
    for (const text of ['import { a } from "../rest/a.ts";', 'import type { A } from "../rest/a.ts";'])
      expect(brokenIn({ "gateway/questions/b.ts": text, "gateway/rest/a.ts": "" })).toEqual([
        "gateway/questions/b.ts imports skins",
      ]);
  });

  it("finds one skin that imports the other", () => {
    const files = { "gateway/rest/a.ts": 'import "../graphql/b.ts";', "gateway/graphql/b.ts": "" };
    expect(brokenIn(files)).toEqual(["gateway/rest/a.ts imports skins"]);
  });

  it("names a floor once, however many of its files are imported", () => {
    const files = {
      "gateway/questions/c.ts": 'import "../rest/a.ts"; import "../rest/b.ts"; import "../graphql/d.ts";',
      ...{ "gateway/rest/a.ts": "", "gateway/rest/b.ts": "", "gateway/graphql/d.ts": "" },
    };
    expect(brokenIn(files)).toEqual(["gateway/questions/c.ts imports skins"]);
  });

  it("finds the ground that imports what stands on it", () => {
    const files = { "gateway/errors.ts": 'import "./balances/a.ts";', "gateway/balances/a.ts": "" };
    expect(brokenIn(files)).toEqual(["gateway/errors.ts imports balances"]);
  });

  it("places a file lower than its folder where it is named", () => {
    const files = {
      "gateway/balances/share.ts": 'import "./a.ts"; import "../errors.ts";',
      "gateway/balances/a.ts": 'import "./share.ts";',
      "gateway/errors.ts": "",
    };
    expect(brokenIn(files)).toEqual(["gateway/balances/share.ts imports balances"]);
  });

  it("finds a file that stands on no floor", () => {
    expect(brokenIn({ "gateway/attic/a.ts": "" })).toEqual(["gateway/attic/a.ts stands on no floor"]);
  });

  it("lets files import what is below, beside them in their room, and outside the gateway", () => {
    const files = {
      "gateway/rest/a.ts":
        'import "./b.ts"; import "../questions/c.ts"; import "../errors.ts"; import "../../core/d.ts";',
      "gateway/rest/b.ts": "",
      "gateway/questions/c.ts": 'import "../balances/share.ts";',
      "gateway/balances/share.ts": "",
      "gateway/errors.ts": "",
      "core/d.ts": "",
      "verify/e.ts": 'import "../gateway/rest/a.ts";',
    };
    expect(brokenIn(files)).toEqual([]);
  });

  it("knows where the skins of the gateway stand: no question, protocol or price may import them", () => {
    for (const folder of ["questions", "balances", "protocols/v3", "prices", "router", "history", "cache"])
      for (const skin of ["rest", "graphql"]) {
        const [from, to] = [`gateway/${folder}/a.ts`, `gateway/${skin}/b.ts`];
        const up = "../".repeat(folder.split("/").length + 1);
        const tree = treeOf({ [from]: `import "${up}${to}";`, [to]: "" });
        expect(upwardImports(tree, "gateway/", gatewayFloors)).toEqual([`${from} imports skins`]);
      }
  });

  it("gives every protocol its place, a new one too", () => {
    const tree = treeOf({
      "src/protocols/lend-pool/index.ts": "",
      "gateway/protocols/lend-pool/backing.ts": 'import "../../prices/price.ts"; import "../../errors.ts";',
      "gateway/prices/price.ts": "",
      "gateway/errors.ts": "",
    });
    expect(laws.layers(tree)).toEqual(["gateway/protocols/lend-pool/backing.ts imports prices"]);
  });

  it("is broken by no file of the gateway", () => {
    expect(violationsOf("layers")).toEqual([]);
  });
});
