// What every protocol must have, checked in the texts of a tree, which may be a copy.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readmeHeadings } from "../../scripts/new-protocol/protocol-files.ts";

/** Blocks are facts like any other, but no protocol. */
const NO_PROTOCOL = ["block"];
/** Where looking through ends. */
const LEAF = "erc20";

interface Tree {
  read(path: string): string | undefined;
  folders(path: string): string[];
  files(path: string): string[];
}

const treeAt = (root: string): Tree => {
  const entries = (path: string) => readdirSync(join(root, path), { withFileTypes: true });
  return {
    read: (path) => (existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : undefined),
    folders: (path) => entries(path).flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])),
    files: (path) => entries(path).flatMap((entry) => (entry.isFile() ? [entry.name] : [])),
  };
};

/** Sentences that name a file and what it is to hold. */
export function protocolProblems(root: string): string[] {
  const tree = treeAt(root);
  const protocols = tree.folders("src/protocols").filter((name) => !NO_PROTOCOL.includes(name));
  const readmes = protocols.map((name) => tree.read(`src/protocols/${name}/README.md`) ?? "");
  return [
    ...protocols.flatMap((name) => [...sourceProblems(tree, name), ...readmeProblems(tree, name)]),
    ...gatewayProblems(tree, protocols, readmes),
    ...ledgerProblems(tree),
    ...testProblems(tree),
  ];
}

/** One problem unless the file's text has what `expected` asks for. */
function lacks(tree: Tree, path: string, [expected, problem]: readonly [RegExp, string]): string[] {
  const text = tree.read(path);
  if (text === undefined) return [`${path} is missing`];
  return expected.test(text) ? [] : [`${path} ${problem}`];
}

function sourceProblems(tree: Tree, name: string): string[] {
  const folder = `src/protocols/${name}`;
  const contracts = tree.read(`${folder}/contracts.ts`) ?? "";
  const imported = [...contracts.matchAll(/from "\.\.\/\.\.\/\.\.\/(abis\/[\w-]+\.ts)"/g)].map(
    ([, path]) => path ?? "",
  );
  const own = tree.read(`abis/${name}.ts`) === undefined ? [] : [`abis/${name}.ts`];
  const abis = new Set([...imported, ...own]);
  return [
    ...lacks(tree, `${folder}/contracts.ts`, [/\babi: \w+|\babi,/, "names no source: which contracts log its events?"]),
    ...lacks(tree, `${folder}/handlers.ts`, [
      /^export (async )?function on[A-Z]/m,
      "has no handler: which rows do its events become?",
    ]),
    ...lacks(tree, `${folder}/index.ts`, [/^(ponder\.)?on\(/m, "registers no event"]),
    ...lacks(tree, "ponder.config.ts", [
      new RegExp(`"\\./${folder}/contracts\\.ts"`),
      `does not spread the sources of ${folder}/contracts.ts`,
    ]),
    ...[...abis].flatMap((path) =>
      lacks(tree, path, [/"event \w+\(|type: "event"/, "has no event: which ones are indexed?"]),
    ),
  ];
}

function readmeProblems(tree: Tree, name: string): string[] {
  const path = `src/protocols/${name}/README.md`;
  const text = tree.read(path);
  if (text === undefined) return [`${path} is missing: how does it work on chain?`];
  const sections = text.split(/^## /m).slice(1);
  const found = sections.map((section) => section.split("\n")[0] ?? "");
  if (found.join() !== readmeHeadings.join())
    return [`${path} has the sections ${found.join(", ")}; it is to have ${readmeHeadings.join(", ")}, in this order`];
  const empty = sections.filter((section) => section.split("\n").slice(1).join("").trim() === "");
  return empty.map((section) => `${path} says nothing under "${section.split("\n")[0]}"`);
}

function gatewayProblems(tree: Tree, protocols: readonly string[], readmes: readonly string[]): string[] {
  const registry = tree.read("gateway/balances/registry.ts") ?? "";
  const registered = [...registry.matchAll(/from "\.\.\/protocols\/([\w-]+)\/backing\.ts"/g)].map(
    ([, name]) => name ?? "",
  );
  const backed = tree
    .folders("gateway/protocols")
    .filter((name) => tree.files(`gateway/protocols/${name}`).includes("backing.ts"));
  const wanted = new Set([...registered, ...backed, ...protocols.filter((name) => name !== LEAF)]);
  return [...wanted].flatMap((name) => [
    ...lacks(tree, `gateway/protocols/${name}/backing.ts`, [
      /\bissuedAgainst\b[\s\S]*\bbehind\b/,
      "opens nothing: who is there to hold what, for whom, and what stands behind what they issue?",
    ]),
    ...(registered.includes(name) ? [] : [`gateway/balances/registry.ts does not have ${name}`]),
    ...(readmes.some((text) => text.includes(`(../../../gateway/protocols/${name}/backing.ts)`))
      ? []
      : [`gateway/protocols/${name}/backing.ts is linked from no README in src/protocols`]),
  ]);
}

function ledgerProblems(tree: Tree): string[] {
  const registry = tree.read("core/ledgers/registry.ts") ?? "";
  const registered = [...registry.matchAll(/^import \{ \w+ \} from "\.\/([\w-]+)\.ts"/gm)].map(
    ([, name]) => name ?? "",
  );
  return registered.flatMap((name) =>
    lacks(tree, `core/ledgers/${name}.ts`, [/\bfacts: \[[^\]]/, "reads no facts: which tables move its holdings?"]),
  );
}

function testProblems(tree: Tree): string[] {
  return tree
    .files("test/gateway")
    .filter((file) => /\bit\.todo\(/.test(tree.read(`test/gateway/${file}`) ?? ""))
    .map((file) => `test/gateway/${file} has no test yet: compare an answer with the contract`);
}
