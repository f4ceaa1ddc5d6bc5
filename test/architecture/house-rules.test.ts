// The house rules that no linter sees whole: borders on resolved paths, sizes, names, and documents that keep step.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { indexedFiles } from "../../chains/build-hash.ts";
import { ledgers } from "../../core/ledgers/registry.ts";
import { foldedFiles } from "../../fold/fold-schema.ts";
import { deploymentDdl, foldTablesDdl } from "../../fold/tables.ts";
import { lakeDdl } from "../../lake/lake-life.ts";
import { protocolProblems } from "../support/protocol-rules.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string): string => (existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : "");
const unseen = new Set(["node_modules", ".git", ".tidemark", ".ponder", "generated", "artifacts"]);

function walk(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    if (unseen.has(entry.name)) return [];
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    return entry.isDirectory() ? walk(path) : [path];
  });
}

const files = walk("");
const code = files.filter((path) => /\.(tsx?|mjs)$/.test(path));
const documents = files.filter((path) => path.endsWith(".md"));
const manifest = JSON.parse(read("package.json")) as Record<
  "scripts" | "dependencies" | "devDependencies" | "overrides",
  Record<string, string>
>;

interface Import {
  from: string;
  /** A path relative to the project for our own files, else the specifier as written. */
  to: string;
  isOwn: boolean;
}

const imports: Import[] = code.flatMap((from) =>
  ts.preProcessFile(read(from), true, true).importedFiles.map(({ fileName }) => {
    const isOwn = fileName.startsWith(".");
    return { from, to: isOwn ? normalize(join(dirname(from), fileName)) : fileName, isOwn };
  }),
);

const shown = (offenders: Import[]): string[] => offenders.map(({ from, to }) => `${from} imports ${to}`);
const isIn = (path: string, ...places: string[]): boolean =>
  places.some((place) => path === place || (place.endsWith("/") && path.startsWith(place)));

/** Where each part may reach. Parts that are not listed are tools: see the rules below the table. */
const reach: Record<string, string[]> = {
  "core/": ["core/"],
  "abis/": ["abis/"],
  "chains/": ["chains/"],
  "database/": ["database/"],
  "fold/": ["fold/", "core/", "database/", "chains/", "abis/", "ponder.schema.ts"],
  "gateway/": ["gateway/", "core/", "database/", "chains/", "abis/", "fold/tables.ts", "ponder.schema.ts"],
};

describe("borders", () => {
  it.each(Object.entries(reach))("%s reaches only its neighbours", (part, allowed) => {
    expect(shown(imports.filter(({ from, to, isOwn }) => isOwn && isIn(from, part) && !isIn(to, ...allowed)))).toEqual(
      [],
    );
  });

  it("core/ is pure: no package, no node: module", () => {
    expect(shown(imports.filter(({ from, isOwn }) => isIn(from, "core/") && !isOwn))).toEqual([]);
  });

  it("src/ imports only ponder and what the build hash covers", () => {
    const hashed = indexedFiles();
    const offends = ({ from, to, isOwn }: Import) =>
      isIn(from, "src/") && !isIn(from, "src/api/") && !(isOwn ? isIn(to, ...hashed) : /^ponder(:\w+)?$/.test(to));
    expect(shown(imports.filter(offends))).toEqual([]);
  });

  it("fold/, and what it reaches, is covered by the hash in the fold's name, but for what decides no row", () => {
    // a chain's file decides by way of Ponder's schema, whose name is hashed too
    const rowless = [
      ...["chains/", "database/", "core/log-levels.ts", "core/log-output.ts", "core/set-variables.ts"],
      "core/without-keys.ts",
    ];
    const hashed = foldedFiles();
    const offends = ({ from, to, isOwn }: Import) => isOwn && isIn(from, ...hashed) && !isIn(to, ...hashed, ...rowless);
    expect(shown(imports.filter(offends))).toEqual([]);
  });

  it("nothing but ponder.config.ts and tests reaches into src/", () => {
    const offends = ({ from, to, isOwn }: Import) =>
      isOwn && isIn(to, "src/") && !isIn(from, "src/", "ponder.config.ts", "test/");
    expect(shown(imports.filter(offends))).toEqual([]);
  });

  it("ponder.config.ts takes from src/ only the sources", () => {
    const offends = ({ from, to }: Import) =>
      from === "ponder.config.ts" &&
      isIn(to, "src/") &&
      !/^src\/(protocols\/[^/]+\/contracts|source-address)\.ts$/.test(to);
    expect(shown(imports.filter(offends))).toEqual([]);
  });

  it("nothing but tests imports test/", () => {
    expect(shown(imports.filter(({ from, to, isOwn }) => isOwn && isIn(to, "test/") && !isIn(from, "test/")))).toEqual(
      [],
    );
  });

  it("every import of our own resolves to a file", () => {
    const isMissing = ({ to, isOwn }: Import) =>
      isOwn && !/\/(artifacts|generated)\//.test(to) && !existsSync(join(root, to));
    expect(shown(imports.filter(isMissing))).toEqual([]);
  });
});

describe("files", () => {
  it("stay short: 300 lines, schema and tests 400", () => {
    const cap = (path: string) => (isIn(path, "test/", "ponder.schema.ts") ? 400 : 300);
    const lines = (path: string) => read(path).trimEnd().split("\n").length;
    const long = code.filter((path) => lines(path) > cap(path));
    expect(long.map((path) => `${path}: ${lines(path)} lines, at most ${cap(path)}`)).toEqual([]);
  });

  it("are named for what they hold, never for an attic", () => {
    const attic = /(^|\/)(utils?|helpers?|common|misc|types|constants)(\.[a-z]+|\/)/;
    expect(files.filter((path) => attic.test(path))).toEqual([]);
  });

  it("are kebab-case", () => {
    const kebab = /^\.?[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9-]+)*$/;
    const named = code.filter((path) => !path.split("/").every((name) => kebab.test(name)));
    expect(named).toEqual([]);
  });

  it("leave nothing for later", () => {
    const later = new RegExp(
      `\\b(${["TO", "FIX"].map((word) => `${word}${word === "TO" ? "DO" : "ME"}`).join("|")})\\b`,
    );
    expect(code.filter((path) => later.test(read(path)))).toEqual([]);
  });

  it("know nothing of the machine they were written on", () => {
    const places = ["work", "tmp", "home", "root", "Users"].map((name) => `(?<![\\w.$}>)])/${name}/[\\w.]`);
    const machine = new RegExp(places.join("|"));
    const texts = files.filter((path) => /\.(tsx?|mjs|css|json|md|sol|example|patch|sh)$|\/run$/.test(path));
    const offends = (path: string) =>
      read(path)
        .split("\n")
        .map((line, index) => ({ line, at: `${path}:${index + 1}` }))
        .filter(({ line }) => machine.test(line))
        .map(({ at }) => at);
    expect(texts.flatMap(offends)).toEqual([]);
  });
});

describe("protocols", () => {
  it("are filled, registered and described", () => {
    expect(protocolProblems(root)).toEqual([]);
  });

  it.each(ledgers.map(({ name }) => name))("%s has its folder in src/protocols", (name) => {
    expect(files.filter((path) => isIn(path, `src/protocols/${name}/`))).toEqual(
      expect.arrayContaining(
        ["contracts.ts", "handlers.ts", "index.ts"].map((file) => `src/protocols/${name}/${file}`),
      ),
    );
  });

  it("every fact table a ledger reads is in ponder.schema.ts", () => {
    const tables = factTables().map(({ table }) => table);
    expect(ledgers.flatMap(({ facts }) => facts).filter((fact) => !tables.includes(fact))).toEqual([]);
  });
});

describe("dependencies", () => {
  const direct = { ...manifest.dependencies, ...manifest.devDependencies };

  it("are pinned exactly", () => {
    const exact = /^(npm:[@\w/.-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/;
    expect(Object.entries({ ...direct, ...manifest.overrides }).filter(([, version]) => !exact.test(version))).toEqual(
      [],
    );
  });

  it("are each justified in the decision about dependencies", () => {
    const decision = read("docs/adr/0002-dependencies.md");
    expect(
      Object.keys({ ...direct, ...manifest.overrides }).filter((name) => !decision.includes(`\`${name}\``)),
    ).toEqual([]);
  });

  it("are each imported or run by something", () => {
    const run = ["node", "ponder", "@foundry-rs/anvil", "@biomejs/biome", "typescript", "@types/node", "vitest"];
    const text = code
      .filter((path) => path !== "test/architecture/house-rules.test.ts")
      .map(read)
      .join("\n");
    const named = (name: string) => text.includes(`"${name}"`) || text.includes(`${name}/`);
    expect(Object.keys(direct).filter((name) => !run.includes(name) && !named(name))).toEqual([]);
  });

  it("are locked for every platform", () => {
    const { packages } = JSON.parse(read("package-lock.json")) as {
      packages: Record<string, { optionalDependencies?: Record<string, string> }>;
    };
    const isLocked = (path: string, name: string) => {
      const folders = path.split(/(?:^|\/)node_modules\//).slice(1);
      const around = [[], ...folders.map((_, index) => folders.slice(0, index + 1))];
      return around.some((outer) => [...outer, name].map((part) => `node_modules/${part}`).join("/") in packages);
    };
    const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies)
        .filter((name) => !isLocked(path, name))
        .map((name) => `${path} names ${name}`),
    );
    expect(missing).toEqual([]);
  });

  it("are locked without naming a registry", () => {
    const naming = read("package-lock.json")
      .split("\n")
      .filter((line) => line.includes('"resolved"') && !line.includes('"resolved": "node_modules/'));
    expect(naming.map((line) => line.trim())).toEqual([]);
    expect(files.filter((path) => path.endsWith(".npmrc"))).toEqual([]);
  });
});

/** Tables of ponder.schema.ts with their columns as PostgreSQL names them. */
function factTables(): { table: string; columns: string[] }[] {
  return read("ponder.schema.ts")
    .split(/= (?:onchain|event)Table\(/)
    .slice(1)
    .map((part) => ({
      table: /"(\w+)"/.exec(part)?.[1] ?? "",
      columns: [...part.matchAll(/^ +(\w+): t\./gm)].map(([, name]) =>
        (name ?? "").replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`),
      ),
    }));
}

/** Tables that the fold and the lake's writer create, with their columns. */
function foldTables(): { table: string; columns: string[] }[] {
  return (deploymentDdl + lakeDdl + foldTablesDdl("s"))
    .split(/create table (?:if not exists )?/)
    .slice(1)
    .map((part) => ({
      table: /(?:\w+|"s")\.(\w+)/.exec(part)?.[1] ?? "",
      columns: [
        ...part.slice(0, part.indexOf(";")).matchAll(/[(,]\s*(\w+) (?:text|int\d|bytea|bool|oid|timestamptz|numeric)/g),
      ].map(([, name]) => name ?? ""),
    }));
}

describe("documents", () => {
  it("docs/commands.md explains every npm script, and README.md leads there", () => {
    const commands = read("docs/commands.md");
    expect(read("README.md")).toContain("](docs/commands.md)");
    const isExplained = (name: string) =>
      ["start", "test"].includes(name) ? commands.includes(`npm ${name}`) : commands.includes(`npm run ${name}`);
    expect(Object.keys(manifest.scripts).filter((name) => !isExplained(name))).toEqual([]);
  });

  it.each([
    ["facts", factTables],
    ["fold", foldTables],
  ])("docs/schema.md explains every table and column of the %s", (_, tables) => {
    const sections = new Map(
      read("docs/schema.md")
        .split(/^### /m)
        .slice(1)
        .flatMap((section) =>
          [...(section.split("\n")[0] ?? "").matchAll(/`(?:tidemark\.)?(\w+)`/g)].map(([, name]) => [name, section]),
        ),
    );
    const found = tables();
    expect(found.length).toBeGreaterThan(3);
    const missing = found.flatMap(({ table, columns }) => {
      const section = sections.get(table);
      if (section === undefined) return [table];
      return columns.filter((column) => !section.includes(`\`${column}\``)).map((column) => `${table}.${column}`);
    });
    expect(missing).toEqual([]);
  });

  it("link only to files that exist", () => {
    const broken = documents.flatMap((path) =>
      [...read(path).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)]
        .map(([, target]) => normalize(join(dirname(path), target ?? "")))
        .filter((target) => !existsSync(join(root, target)))
        .map((target) => `${path} links to ${target}`),
    );
    expect(broken).toEqual([]);
  });
});
