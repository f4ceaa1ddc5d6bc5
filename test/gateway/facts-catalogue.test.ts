// The catalogue of facts: every table is in it, with every column, and the schema that readers see is made from it.
import { readFileSync } from "node:fs";
import { parse, print } from "graphql";
import { describe, expect, it } from "vitest";
import { expressionOf, placeColumns, snakeCase } from "../../gateway/analytics/fact-kind.ts";
import { factsCatalogue, kindOf } from "../../gateway/analytics/facts-catalogue.ts";
import { factsSdl } from "../../gateway/analytics/facts-sdl.ts";
import { conditionsOf } from "../../gateway/analytics/filter-sql.ts";
import { ponderTables } from "../../scripts/ponder-tables.ts";

/** Shown with every answer about a block. */
const NO_EVENTS = ["block"];

describe("the catalogue of facts", () => {
  it("has every fact table", () => {
    const listed = new Set(factsCatalogue.flatMap(({ sources }) => sources.map(({ table }) => table)));
    const tables = ponderTables().map(({ name }) => name);
    expect(tables.filter((name) => !listed.has(name))).toEqual(NO_EVENTS);
    expect([...listed].filter((name) => !tables.includes(name))).toEqual([]);
  });

  it("shows every column of them, and none that is not there", () => {
    const columns = new Map(ponderTables().map(({ name, columns }) => [name, columns.map((column) => column.name)]));
    const shown = new Map<string, string>();
    for (const { sources, columns: described } of factsCatalogue)
      for (const source of sources) {
        const names = Object.keys({ ...placeColumns, ...described });
        const texts = names.map((name) => expressionOf(source, name)).concat(source.condition ?? "");
        shown.set(source.table, `${shown.get(source.table) ?? ""} ${texts.join(" ")}`);
      }
    const named = (text: string) => [...text.matchAll(/f\."?(\w+)"?/g)].map(([, column]) => column ?? "");
    for (const [table, text] of shown) {
      expect([table, [...new Set(named(text))].sort()]).toEqual([table, [...(columns.get(table) ?? [])].sort()]);
    }
  });

  it("names columns as Ponder does", () => {
    expect(["sqrtPriceX96", "amount0In", "feeProtocol1Old", "txIndex"].map(snakeCase)).toEqual([
      "sqrt_price_x96",
      "amount0_in",
      "fee_protocol1_old",
      "tx_index",
    ]);
  });

  it("is what facts.graphql shows: node gateway/analytics/write-schema.ts, then npm run fix", () => {
    const shown = readFileSync("gateway/graphql/facts.graphql", "utf8");
    expect(print(parse(shown))).toBe(print(parse(factsSdl())));
  });
});

describe("a range in a filter", () => {
  it("leaves out what has no such value, but only once it has an end", () => {
    const swaps = kindOf("swaps");
    const conditions = (tick: object) => swaps.sources.map((source) => conditionsOf(swaps, source, { tick }));
    for (const range of [{}, { min: null, max: null }]) expect(conditions(range)).toEqual([[], []]);
    expect(conditions({ min: -5, max: null })).toEqual([['f."tick" >= -5'], ["false"]]);
  });
});

describe("a filter by hex digits that are no address", () => {
  it("takes them in any case, as addresses are taken", () => {
    const digits = `0x${"aB".repeat(32)}`;
    for (const [field, name] of [
      ["stakes", "lockId"],
      ["rewards", "validator"],
      ["incentives", "validator"],
    ] as const) {
      const kind = kindOf(field);
      const conditions = kind.sources.flatMap((source) => conditionsOf(kind, source, { [name]: [digits] }));
      expect(conditions).toEqual([`f."${snakeCase(name)}" = '${digits.toLowerCase()}'`]);
    }
  });
});
