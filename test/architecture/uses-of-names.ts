// How a name is used where it stands: is what it holds changed, only read, or handed on to somebody who might change it?
import ts from "typescript";

const CHANGING_METHODS = new Set([
  ...["set", "add", "delete", "clear", "push", "pop", "shift", "unshift", "splice", "sort", "reverse", "fill"],
  ...["copyWithin", "append", "register", "setPrototypeOf", "getOrInsert", "getOrInsertComputed"],
]);

/** They give a part of what they are called on, so that a change of the part is a change of the whole. */
const PART_METHODS = new Set(["get", "at", "values", "find"]);

const CHANGING_FUNCTIONS = new Set(["Object.assign", "Object.defineProperty", "Object.setPrototypeOf", "Reflect.set"]);

const READING_METHODS = new Set([
  ...["get", "has", "size", "keys", "values", "entries", "forEach", "union", "intersection", "difference"],
  ...["symmetricDifference", "isSubsetOf", "isSupersetOf", "isDisjointFrom"],
]);

/** What stands around `node` and is the same thing: brackets, assertions, and `module.` before it. */
function unwrapped(node: ts.Node): ts.Node {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent) && parent.name === node) return unwrapped(parent);
  const isAround =
    ts.isParenthesizedExpression(parent) ||
    ts.isNonNullExpression(parent) ||
    ts.isAsExpression(parent) ||
    ts.isSatisfiesExpression(parent);
  return isAround ? unwrapped(parent) : node;
}

const isAssignment = (kind: ts.SyntaxKind): boolean =>
  kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment;

/** Whether something is assigned to `place`, or it is counted up or down, or deleted. */
function isAssigned(place: ts.Node): boolean {
  const { parent } = place;
  if (ts.isBinaryExpression(parent)) return parent.left === place && isAssignment(parent.operatorToken.kind);
  if (ts.isPrefixUnaryExpression(parent))
    return [ts.SyntaxKind.PlusPlusToken, ts.SyntaxKind.MinusMinusToken].includes(parent.operator);
  return ts.isPostfixUnaryExpression(parent) || ts.isDeleteExpression(parent);
}

/** The property or element of `node` that is spoken of around it. */
function partOf(node: ts.Node): ts.PropertyAccessExpression | ts.ElementAccessExpression | undefined {
  const { parent } = node;
  const isPart = ts.isPropertyAccessExpression(parent) || ts.isElementAccessExpression(parent);
  return isPart && parent.expression === node ? parent : undefined;
}

const calledOn = (part: ts.Node): ts.CallExpression | undefined => {
  const callee = unwrapped(part);
  return ts.isCallExpression(callee.parent) && callee.parent.expression === callee ? callee.parent : undefined;
};

/** Whether this use changes what the name stands for, or anything inside. */
export function changes(name: ts.Node): boolean {
  const node = unwrapped(name);
  if (isAssigned(node)) return true;
  const { parent } = node;
  if (ts.isCallExpression(parent) && parent.arguments[0] === node)
    return CHANGING_FUNCTIONS.has(parent.expression.getText());
  const part = partOf(node);
  if (part === undefined) return false;
  const call = calledOn(part);
  if (call === undefined || !ts.isPropertyAccessExpression(part)) return changes(part);
  return CHANGING_METHODS.has(part.name.text) || (PART_METHODS.has(part.name.text) && changes(call));
}

/** Whether this use can do no more than read a collection. */
export function onlyReads(name: ts.Node): boolean {
  if (changes(name)) return false;
  const node = unwrapped(name);
  const { parent } = node;
  const part = partOf(node);
  if (part !== undefined) return ts.isPropertyAccessExpression(part) && READING_METHODS.has(part.name.text);
  return (
    ts.isSpreadElement(parent) ||
    ts.isForOfStatement(parent) ||
    ts.isTypeQueryNode(parent) ||
    ts.isImportSpecifier(parent) ||
    ts.isExportSpecifier(parent) ||
    (ts.isVariableDeclaration(parent) && parent.name === node) ||
    (ts.isNewExpression(parent) && ["Map", "Set"].includes(parent.expression.getText()))
  );
}
