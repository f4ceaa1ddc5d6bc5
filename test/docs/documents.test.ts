// Documents that cannot rot: example queries are valid, and every error code and setting is explained.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSchema, parse, validate } from "graphql";
import { describe, expect, it } from "vitest";
import { providers } from "../../gateway/aggregator/registry.ts";
import { variablesOf } from "../../gateway/aggregator/settings.ts";
import { typeDefinitions } from "../../gateway/graphql/type-definitions.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string): string => (existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : "");

function sources(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"));
}

const blocksOf = (document: string, language: string): string[] =>
  [...read(document).matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"))].map(
    ([, text]) => text ?? "",
  );

describe("docs/querying.md", () => {
  const schema = buildSchema(typeDefinitions);
  const examples = blocksOf("docs/querying.md", "graphql").map((text, index) => [index + 1, text] as const);

  it("has example queries", () => {
    expect(examples.length).toBeGreaterThanOrEqual(4);
  });

  it.each(examples)("example %i is valid against the schema", (_, text) => {
    expect(validate(schema, parse(text)).map((error) => error.message)).toEqual([]);
  });

  it("has every question of the schema in an example", () => {
    const requested = examples.flatMap(([, text]) =>
      parse(text).definitions.flatMap((definition) =>
        definition.kind === "OperationDefinition" ? definition.selectionSet.selections : [],
      ),
    );
    const names = requested.flatMap((selection) => (selection.kind === "Field" ? [selection.name.value] : []));
    const questions = Object.keys(schema.getQueryType()?.getFields() ?? {});
    expect(questions.filter((name) => !names.includes(name))).toEqual([]);
  });

  it("explains every error code", () => {
    const codes = sources("gateway").flatMap((text) => [
      ...text.matchAll(/"([A-Z]+(?:_[A-Z]+)+|STARTING|OVERLOADED|TIMEOUT|INTERNAL)"/g),
    ]);
    const isCode = (name: string) =>
      sources("gateway").some((text) => new RegExp(`code: "${name}"|UnavailableError\\(\\s*"${name}"`).test(text));
    const names = [...new Set(codes.map(([, name]) => name ?? ""))].filter(isCode);
    expect(names.length).toBeGreaterThan(5);
    expect(names.filter((name) => !read("docs/querying.md").includes(`\`${name}\``))).toEqual([]);
  });
});

describe("settings", () => {
  const files = [
    ...["gateway/env.ts", "gateway/aggregator/settings.ts", "fold/environment.ts", "launcher/environment.ts"],
    ...["lake/environment.ts", "sql/environment.ts", "snapshot/environment.ts", "verify/environment.ts"],
    ...["rewards/arguments.ts", "ask/arguments.ts"],
  ];
  const names = [
    ...new Set(
      files.flatMap((path) =>
        [...read(path).matchAll(/^ {2}([A-Z][A-Z_]+): |\benv\.([A-Z][A-Z_]+)/gm)].map(
          ([, key, variable]) => key ?? variable ?? "",
        ),
      ),
    ),
  ];

  it("are read from the environment in one place per process", () => {
    expect(names).toEqual(expect.arrayContaining(["CHAIN", "DATABASE_URL", "RPC_URL", "PORT"]));
  });

  it.each(["docs/operations.md", ".env.example"])("are all explained in %s", (document) => {
    const internal = document === ".env.example" ? ["PONDER_SCHEMA"] : [];
    expect(
      names.filter((name) => !internal.includes(name) && !new RegExp(`\\b${name}\\b`).test(read(document))),
    ).toEqual([]);
  });

  it("of every provider of swaps are in .env.example, and its prefix in docs/operations.md", () => {
    const missing = providers.flatMap((one) => variablesOf(one).filter((name) => !read(".env.example").includes(name)));
    expect(missing).toEqual([]);
    expect(providers.filter(({ prefix }) => !read("docs/operations.md").includes(`\`${prefix}\``))).toEqual([]);
  });
});
