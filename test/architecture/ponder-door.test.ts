// Raw facts are read through one door.
import { describe, expect, it } from "vitest";
import { door, violationsOf } from "./laws.ts";
import { filesNamingPonder, ponderNames } from "./ponder-door.ts";
import { projectTree, treeOf } from "./source-tree.ts";

const DOOR = { under: "gateway/", door: "gateway/history/raw-facts.ts", shows: {} };
const SCHEMA = ["v2_swap", "v2_pair_created", "block", "token"].map(
  (name) => `export const ${name} = onchainTable("${name}", columns);`,
);
/** A template of SQL with a name between angle brackets for each thing that is put in. */
const sql = (text: string): string => `\`${text.replaceAll("<", "$" + "{").replaceAll(">", "}")}\``;

const namesIn = (text: string) =>
  ponderNames(
    treeOf({
      "gateway/a.ts": text,
      "ponder.schema.ts": SCHEMA.join("\n"),
      "fold/tables.ts": sql("create table <s>.token (asset int4)"),
      "core/fact-tables.ts": 'export const registryTables: readonly string[] = ["block", "v2_pair_created"];',
    }),
    DOOR,
  ).get("gateway/a.ts");

describe("The law of one door to Ponder's schema", () => {
  it.each([
    ["the schema of a scope", sql("select 1 from <facts.schemas.ponder>.block"), ["ponder"]],
    ["a name taken out of the schemas", "const { ponder } = schemas;", ["ponder"]],
    ["a parameter", `const seen = (ponder: string) => ${sql("select from <ponder>.x")}`, ["ponder"]],
    ["one of Ponder's own tables", 'const TABLES = ["_ponder_checkpoint"];', ["_ponder_"]],
    ["the column that holds its name", sql("select l.ponder_schema from tidemark.live l"), ["ponder_schema"]],
    ["a fact table behind any schema", sql("select from <schema>.v2_swap s"), ["v2_swap"]],
    ["the schema's name as it is shown", "const read = (ponderSchema: string) => sql(ponderSchema);", ["ponderSchema"]],
  ])("finds %s", (_, text, names) => {
    expect(namesIn(text)).toEqual(names);
  });

  it.each([
    ["a comment", "// Ponder's tables: ponder.block"],
    ["a table of the fold", sql("select from <fold>.token t join <fold>.holding_current h")],
    ["a registry, of which the fold has a copy", sql("select from <fold>.v2_pair_created c")],
    ["a column called block", sql("<alias>.block between 1 and 5")],
    ["a word that only begins like it", "const ponderous = 1;"],
  ])("takes no offence at %s", (_, text) => {
    expect(namesIn(text)).toBeUndefined();
  });

  it("lets the door alone name it, be it a file or a folder, and in the gateway only", () => {
    const text = "const { ponder } = schemas;";
    const tree = treeOf({
      "gateway/history/raw-facts.ts": text,
      "gateway/history/raw-facts-pages.ts": text,
      "gateway/facts/page.ts": text,
      "fold/stage-facts.ts": text,
    });
    expect(filesNamingPonder(tree, DOOR)).toEqual([
      "gateway/facts/page.ts names Ponder's schema",
      "gateway/history/raw-facts-pages.ts names Ponder's schema",
    ]);
    expect(filesNamingPonder(tree, { ...DOOR, door: "gateway/history/" })).toEqual([
      "gateway/facts/page.ts names Ponder's schema",
    ]);
  });

  it("lets a file show the schema's name without reading from it", () => {
    const shows = { "gateway/status.ts": "it is shown" };
    const status = (text: string) => filesNamingPonder(treeOf({ "gateway/status.ts": text }), { ...DOOR, shows });
    expect(status("const shown = { ponderSchema: live.name };")).toEqual([]);
    expect(status("const shown = { ponderSchema: live.ponder };")).toEqual(["gateway/status.ts names Ponder's schema"]);
  });

  it("lets no file of the project show the name that does not", () => {
    const found = ponderNames(projectTree(), { ...door, shows: {} });
    expect(Object.keys(door.shows).filter((path) => !found.get(path)?.includes("ponderSchema"))).toEqual([]);
  });

  it("is broken by no file of the gateway", () => {
    expect(violationsOf("ponder-door")).toEqual([]);
  });
});
