// One question, two skins. What is asked is taken from what the skins run, not from what lies in a folder: a question that
// only one of them offers is on a list with its reason, and whatever is offered is asked by a parity case through that skin.
import ts from "typescript";
import { nodesIn, parse, resolveIn, type SourceTree } from "./source-tree.ts";

export const SKINS = ["rest", "graphql"] as const;
export type Skin = (typeof SKINS)[number];

/** Offered by one skin alone. */
export interface LoneQuestion {
  skin: Skin;
  /** Why the other does not offer it. */
  why: string;
  /** The test that asks it, where no parity case can. */
  coveredBy?: string;
}

export interface ParityRules {
  /** The folder of each skin. */
  folders: Readonly<Record<Skin, string>>;
  /** By question. */
  alone: Readonly<Record<string, LoneQuestion>>;
  /** The file of the parity cases: objects with a `question` and, for each skin that asks it, a property of its name. */
  cases: string;
}

/** Sentences that name a question, sorted. */
export function parityProblems(tree: SourceTree, rules: ParityRules): string[] {
  const offered = offeredBy(tree, rules.folders);
  const cases = casesIn(rules.cases, tree);
  const all = [...new Set(SKINS.flatMap((skin) => [...offered[skin]]))];
  return [
    ...all.flatMap((question) => loneProblems(question, offered, rules.alone)),
    ...Object.keys(rules.alone)
      .filter((question) => !all.includes(question))
      .map((question) => `${question} is listed as lone and offered by no skin`),
    ...SKINS.flatMap((skin) =>
      [...offered[skin]]
        .filter((question) => !cases[skin].has(question) && !tree.has(rules.alone[question]?.coveredBy ?? ""))
        .map((question) => `${question} is offered by ${skin} and asked by no parity case`),
    ),
    ...SKINS.flatMap((skin) =>
      [...cases[skin]]
        .filter((question) => !offered[skin].has(question))
        .map((question) => `${question} has a parity case for ${skin}, which does not offer it`),
    ),
  ].sort();
}

function loneProblems(
  question: string,
  offered: Readonly<Record<Skin, ReadonlySet<string>>>,
  alone: ParityRules["alone"],
): string[] {
  const skins = SKINS.filter((skin) => offered[skin].has(question));
  const listed = alone[question];
  if (skins.length === SKINS.length) return listed ? [`${question} is offered by both skins and listed as lone`] : [];
  const [only] = skins;
  return listed?.skin === only ? [] : [`${question} is offered by ${only} alone, without a reason on the list`];
}

/** The questions that each skin runs, by the names that their operations have. */
export function offeredBy(tree: SourceTree, folders: ParityRules["folders"]): Record<Skin, Set<string>> {
  const operations = operationsIn(tree);
  const offered = (skin: Skin) => {
    const files = [...tree].filter(([path]) => path.startsWith(folders[skin]));
    return new Set(
      files.flatMap(([path, text]) => [
        ...valuesImported(tree, path, text).flatMap((value) => operations.get(value) ?? []),
        ...[...operations].filter(([value]) => value.startsWith(`${path} `)).map(([, question]) => question),
      ]),
    );
  };
  return { rest: offered("rest"), graphql: offered("graphql") };
}

/** `path name` of every exported operation → the question it answers. */
function operationsIn(tree: SourceTree): Map<string, string> {
  const files = [...tree].filter(([path, text]) => path.startsWith("gateway/") && /\brun\b/.test(text));
  return new Map(
    files.flatMap(([path, text]) =>
      exportedConstants(parse(path, text)).flatMap(({ name, initializer }) => {
        const question = initializer && questionOf(initializer);
        return question === undefined ? [] : [[`${path} ${name.getText()}`, question] as const];
      }),
    ),
  );
}

const exportedConstants = ({ statements }: ts.SourceFile): ts.VariableDeclaration[] =>
  statements
    .filter(ts.isVariableStatement)
    .filter(({ modifiers }) => modifiers?.some(isExport))
    .flatMap(({ declarationList }) => declarationList.declarations);

const isExport = ({ kind }: ts.ModifierLike): boolean => kind === ts.SyntaxKind.ExportKeyword;

/** Of an object with a `name` and a `run`, or of a function that makes one. */
function questionOf(value: ts.Expression): string | undefined {
  if (ts.isSatisfiesExpression(value) || ts.isAsExpression(value) || ts.isParenthesizedExpression(value))
    return questionOf(value.expression);
  if (ts.isArrowFunction(value)) return ts.isBlock(value.body) ? undefined : questionOf(value.body);
  if (!ts.isObjectLiteralExpression(value)) return undefined;
  const hasRun = value.properties.some((property) => property.name?.getText() === "run");
  return hasRun ? textOf(value, "name") : undefined;
}

function textOf(value: ts.ObjectLiteralExpression, name: string): string | undefined {
  const property = value.properties.find((one) => one.name?.getText() === name);
  const text = property && ts.isPropertyAssignment(property) ? property.initializer : undefined;
  return text && ts.isStringLiteralLike(text) ? text.text : undefined;
}

/** `path name` of everything of the tree that a file imports to use it, not as a type. */
function valuesImported(tree: SourceTree, path: string, text: string): string[] {
  return parse(path, text).statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) return [];
    const { importClause, moduleSpecifier } = statement;
    const from = resolveIn(tree, path, moduleSpecifier.text);
    const named = importClause?.namedBindings;
    if (from === undefined || importClause?.isTypeOnly || named === undefined || !ts.isNamedImports(named)) return [];
    return named.elements
      .filter(({ isTypeOnly }) => !isTypeOnly)
      .map(({ name, propertyName }) => `${from} ${(propertyName ?? name).text}`);
  });
}

/** The questions that the parity cases ask through each skin. */
function casesIn(path: string, tree: SourceTree): Record<Skin, Set<string>> {
  const cases: Record<Skin, Set<string>> = { rest: new Set(), graphql: new Set() };
  for (const node of nodesIn(parse(path, tree.get(path) ?? ""))) {
    if (!ts.isObjectLiteralExpression(node)) continue;
    const question = textOf(node, "question");
    if (question === undefined) continue;
    for (const skin of SKINS)
      if (node.properties.some((property) => property.name?.getText() === skin)) cases[skin].add(question);
  }
  return cases;
}
