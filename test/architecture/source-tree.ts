// What every law is applied to: the code as texts by path, whether it lies on the disk or is made up by a test.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

/** Texts of code by path; paths begin at the project's root. */
export type SourceTree = ReadonlyMap<string, string>;

/** One file of ours that names another. */
export interface Import {
  from: string;
  to: string;
}

const root = fileURLToPath(new URL("../..", import.meta.url));
const NOT_OURS = new Set(["node_modules", ".git", ".tidemark", ".ponder", "generated", "artifacts"]);

export const treeOf = (files: Readonly<Record<string, string>>): SourceTree => new Map(Object.entries(files));

/** All code of the project but what is generated. */
export function projectTree(): SourceTree {
  return new Map(codeBelow("").map((path) => [path, readFileSync(join(root, path), "utf8")]));
}

function codeBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    if (NOT_OURS.has(entry.name)) return [];
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) return codeBelow(path);
    return /\.(tsx?|mjs)$/.test(entry.name) ? [path] : [];
  });
}

/** The file of the tree that a relative specifier in `from` names. */
export function resolveIn(tree: SourceTree, from: string, specifier: string): string | undefined {
  if (!specifier.startsWith(".")) return undefined;
  const path = normalize(join(dirname(from), specifier));
  return [path, path.replace(/\.js$/, ".ts"), `${path}.ts`, `${path}.tsx`, `${path}/index.ts`].find((file) =>
    tree.has(file),
  );
}

/** Every import and re-export among the tree's own files, of types too, each pair once. */
export function importsOf(tree: SourceTree): Import[] {
  return [...tree].flatMap(([from, text]) => {
    const named = ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName);
    const found = new Set(named.flatMap((specifier) => resolveIn(tree, from, specifier) ?? []));
    return [...found].map((to) => ({ from, to }));
  });
}

export const shownImport = ({ from, to }: Import): string => `${from} imports ${to}`;

export const parse = (path: string, text: string): ts.SourceFile =>
  ts.createSourceFile(
    path,
    text,
    ts.ScriptTarget.Latest,
    true,
    path.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS,
  );

/** `node` and all below it. */
export function nodesIn(node: ts.Node): ts.Node[] {
  const found: ts.Node[] = [];
  const visit = (one: ts.Node): void => {
    found.push(one);
    ts.forEachChild(one, visit);
  };
  visit(node);
  return found;
}
