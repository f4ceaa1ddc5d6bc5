// Functions that give away something with a memory of its own: what they return closes over what it changes.
import ts from "typescript";
import { nodesIn } from "./source-tree.ts";
import type { TreeSymbols } from "./tree-symbols.ts";
import { changes } from "./uses-of-names.ts";

/** They call what they are given at once, and do not hold on to it. */
const LIST_METHODS = new Set([
  ...["forEach", "map", "flatMap", "filter", "find", "findIndex", "some", "every", "reduce", "reduceRight", "sort"],
  ...["toSorted", "replace", "replaceAll", "from", "fromEntries"],
]);

type AnyFunction = ts.FunctionLikeDeclaration;

const isFunction = (node: ts.Node): node is AnyFunction =>
  ts.isFunctionDeclaration(node) || ts.isFunctionExpression(node) || ts.isArrowFunction(node);

/** What runs when `node` is evaluated: nothing inside the functions and classes that it only makes. */
export function nodesRunIn(node: ts.Node): ts.Node[] {
  const found: ts.Node[] = [];
  const visit = (one: ts.Node): void => {
    found.push(one);
    if (!ts.isFunctionLike(one) && !ts.isClassLike(one)) ts.forEachChild(one, visit);
  };
  visit(node);
  return found;
}

/** Whether what this call returns remembers something from one use to the next. */
export function makesStore(call: ts.CallExpression, symbols: TreeSymbols): boolean {
  return remembers(call, symbols, new Set());
}

function remembers(call: ts.CallExpression, symbols: TreeSymbols, seen: Set<ts.Node>): boolean {
  const callee = ts.isParenthesizedExpression(call.expression) ? call.expression.expression : call.expression;
  const made = isFunction(callee) ? callee : ts.isIdentifier(callee) ? functionNamed(callee, symbols) : undefined;
  if (made?.body === undefined || seen.has(made)) return false;
  seen.add(made);
  const own = nodesRunIn(made.body);
  return (
    own.some((node) => ts.isVariableDeclaration(node) && isChangedLater(node, made, symbols)) ||
    own.some((node) => ts.isCallExpression(node) && remembers(node, symbols, seen))
  );
}

function functionNamed(name: ts.Identifier, symbols: TreeSymbols): AnyFunction | undefined {
  const declared = symbols.symbolOf(name)?.valueDeclaration;
  if (declared === undefined) return undefined;
  if (isFunction(declared)) return declared;
  const value = ts.isVariableDeclaration(declared) ? declared.initializer : undefined;
  return value && isFunction(value) ? value : undefined;
}

/** Changed by a function inside `maker`, which may be called when `maker` has long returned. */
function isChangedLater(declared: ts.VariableDeclaration, maker: AnyFunction, symbols: TreeSymbols): boolean {
  const { name } = declared;
  if (!ts.isIdentifier(name)) return false;
  const symbol = symbols.symbolOf(name);
  const stands = (node: ts.Node): boolean =>
    ts.isIdentifier(node) && node.text === name.text && symbols.symbolOf(node) === symbol;
  return nodesIn(maker).some((node) => stands(node) && changes(node) && mayOutlive(node, maker));
}

/** Whether `node` is in a function that may run later than `maker`. What a list calls, as `forEach` does, runs at once. */
function mayOutlive(node: ts.Node, maker: AnyFunction): boolean {
  const around = enclosing(node);
  if (around === maker) return false;
  const { parent } = around;
  const isForList =
    ts.isCallExpression(parent) &&
    ts.isPropertyAccessExpression(parent.expression) &&
    LIST_METHODS.has(parent.expression.name.text);
  return !isForList || mayOutlive(parent, maker);
}

function enclosing(node: ts.Node): ts.Node {
  const { parent } = node;
  return ts.isFunctionLike(parent) ? parent : enclosing(parent);
}
