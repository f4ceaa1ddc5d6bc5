// The tables of ops/clickhouse/ are those that the lake's datasets ask for.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { statementsOf } from "../../lake/clickhouse/schema.ts";
import { lakeDatasets, schemaFiles } from "../../scripts/clickhouse-schema.ts";

const written = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../../ops/clickhouse/${name}`, import.meta.url)), "utf8");

it.each(Object.entries(schemaFiles()))("has in %s what `node scripts/clickhouse-schema.ts` writes", (name, text) => {
  expect(written(name)).toBe(text);
});

it("has a table of every dataset, and two of what was taken", () => {
  const tables = (name: string) => statementsOf(written(name)).map((text) => /(?:exists|view) (\w+)/.exec(text)?.[1]);
  const names = lakeDatasets().map(({ name }) => name);
  expect(tables("server.sql")).toEqual([...names, "lake_segment", "lake_file"]);
  expect(tables("cluster.sql")).toEqual([
    ...names.flatMap((name) => [`${name}_shard`, name]),
    "lake_segment",
    "lake_file",
  ]);
  expect(tables("files.sql")).toEqual([...names, "lake_segment"]);
});

it("spreads everything that has a token by its token, and no table by a column that can be null", () => {
  const nullable = new Map(lakeDatasets().map(({ name, nullable: columns }) => [name, columns]));
  for (const [, table = "", column = ""] of written("cluster.sql").matchAll(/'(\w+)_shard', cityHash64\(`(\w+)`\)/g)) {
    const dataset = lakeDatasets().find(({ name }) => name === table);
    const hasToken = dataset?.columns.some(({ name }) => name === "token") && !nullable.get(table)?.has("token");
    if (hasToken) expect([table, column]).toEqual([table, "token"]);
    expect(nullable.get(table)?.has(column)).toBe(false);
  }
});
