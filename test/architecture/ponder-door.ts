// One door to raw facts: the gateway reads what the fold made of them, and a single file, or folder, names Ponder's schema.
import ts from "typescript";
import { nodesIn, parse, type SourceTree } from "./source-tree.ts";

export interface Door {
  /** Where the law holds; paths begin with it. */
  under: string;
  /** The one file, or folder with its slash, that may. */
  door: string;
  /** Files that show the schema's name to the operator, and read nothing from it → why. */
  shows: Readonly<Record<string, string>>;
}

/** The schema itself, and its name as it is shown. */
const SCHEMA = /^ponder$/;
const SCHEMA_NAME = /^ponderSchema$/;
/** Columns that hold its name, and Ponder's own tables. */
const IN_TEXT = /\bponder_schema\b|\b_ponder_|\bponder\./;

/** Files beside the door that name the schema, each with the names it uses. */
export function ponderNames(tree: SourceTree, { under, door, shows }: Door): Map<string, string[]> {
  const facts = factTablesIn(tree);
  const isDoor = (path: string) => path === door || (door.endsWith("/") && path.startsWith(door));
  const found = [...tree]
    .filter(([path]) => path.startsWith(under) && !isDoor(path))
    .map(([path, text]) => {
      const names = new Set(nodesIn(parse(path, text)).flatMap((node) => namedBy(node, facts) ?? []));
      if (path in shows) names.delete("ponderSchema");
      return [path, [...names].sort()] as const;
    });
  return new Map(found.filter(([, names]) => names.length > 0));
}

/** The same as sentences, sorted. They do not say which names: a file that uses fewer has not become a new violation. */
export const filesNamingPonder = (tree: SourceTree, door: Door): string[] =>
  [...ponderNames(tree, door).keys()].map((path) => `${path} names Ponder's schema`).sort();

function namedBy(node: ts.Node, facts: ReadonlySet<string>): string | undefined {
  if (ts.isIdentifier(node)) return SCHEMA.test(node.text) || SCHEMA_NAME.test(node.text) ? node.text : undefined;
  const text = textOf(node);
  if (text === undefined) return undefined;
  const found = IN_TEXT.exec(text);
  if (found) return found[0];
  // what stands behind `${schema}` in a statement
  const behindSchema = ts.isTemplateMiddleOrTemplateTail(node) ? /^\.(\w+)/.exec(text)?.[1] : undefined;
  return behindSchema !== undefined && facts.has(behindSchema) ? behindSchema : undefined;
}

const textOf = (node: ts.Node): string | undefined =>
  ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)
    ? node.text
    : undefined;

/** Names of tables that Ponder writes and the fold has none of; `block`, a registry, is also what many columns are called. */
function factTablesIn(tree: SourceTree): Set<string> {
  const facts = new Set(
    [...(tree.get("ponder.schema.ts") ?? "").matchAll(/= (?:onchain|event)Table\("(\w+)"/g)].map(
      ([, name]) => name ?? "",
    ),
  );
  const registries = /registryTables[^=]*=\s*\[([^\]]*)\]/.exec(tree.get("core/fact-tables.ts") ?? "")?.[1] ?? "";
  for (const [, name] of registries.matchAll(/"(\w+)"/g)) facts.delete(name ?? "");
  for (const [path, text] of tree)
    if (path.startsWith("fold/"))
      for (const [, name] of text.matchAll(/create table (?:if not exists )?[^\s.(]+\.(\w+)/g))
        facts.delete(name ?? "");
  return facts;
}
