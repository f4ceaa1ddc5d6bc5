// Numbers that DuckDB works out as doubles. It makes a double of an amount that is compared with one, and so takes it for its
// neighbours: 999999999999999999999 >= 1e21 is true.
import { SqlInvalidError } from "../gateway/sql/sql-errors.ts";
import { nodesOf, placeOf, type SqlNode, textOf } from "./statement-tree.ts";

/** Below it doubles are exact for whole numbers. */
const EXACT_BELOW = 2 ** 53;

const POWER = (base: number, exponent: number) => base ** exponent;

const WORKED_OUT: ReadonlyMap<string, (a: number, b: number) => number> = new Map([
  ["+", (a, b) => a + b],
  ["-", (a, b) => a - b],
  ["*", (a, b) => a * b],
  ["/", (a, b) => a / b],
  ...["^", "**", "pow", "power"].map((name): [string, typeof POWER] => [name, POWER]),
]);

/** @throws SqlInvalidError where a comparison rounds an amount */
export function requireExactComparison(node: SqlNode, text: string): void {
  const compared = comparedBy(node);
  if (compared.some(isDouble)) return;
  const rough = compared.find(isRough);
  if (rough !== undefined && !compared.every(isWrittenOut))
    throw new SqlInvalidError(
      "what is compared with this number is rounded, as is the number; write all digits, as in '1000000000000000000000'::BIGNUM, or add ::DOUBLE where that does not matter",
      placeOf(rough, text),
    );
}

function comparedBy(node: SqlNode): readonly SqlNode[] {
  if (node.class === "COMPARISON") return [node.left, node.right] as SqlNode[];
  if (node.class === "BETWEEN") return [node.input, node.lower, node.upper] as SqlNode[];
  return /^COMPARE_(?:NOT_)?IN$/.test(textOf(node.type)) && Array.isArray(node.children) ? node.children : [];
}

const childrenOf = ({ children }: SqlNode): readonly SqlNode[] => (Array.isArray(children) ? children : []);
const typeOf = ({ value }: SqlNode): string =>
  textOf(((value as SqlNode | undefined)?.type as SqlNode | undefined)?.id);

/** Without a column. */
const isWrittenOut = (node: SqlNode): boolean =>
  node.class === "CONSTANT" || (node.class === "FUNCTION" && childrenOf(node).every(isWrittenOut));

/** What says by itself that it is a double. */
const isDouble = (node: SqlNode): boolean =>
  (node.class === "CAST" && /^(?:DOUBLE|FLOAT)$/.test(textOf((node.cast_type as SqlNode | undefined)?.id))) ||
  (node.class === "FUNCTION" && textOf(node.function_name) === "/" && !isWrittenOut(node));

const isDoubleConstant = (node: SqlNode): boolean => node.class === "CONSTANT" && typeOf(node) === "DOUBLE";

const workOf = ({ function_name: name }: SqlNode) => WORKED_OUT.get(textOf(name).toLowerCase());

/** The value of a constant or of a term of such, about. Undefined where it is no number, or not known here. */
function estimateOf(node: SqlNode): number | undefined {
  if (node.class === "CONSTANT") return Number((node.value as SqlNode).value);
  const [a, b] = childrenOf(node).map(estimateOf);
  const work = workOf(node);
  return work === undefined || a === undefined || b === undefined ? undefined : work(a, b);
}

const isLarge = (value: number | undefined): boolean => Math.abs(value ?? 0) >= EXACT_BELOW;

/** Whether it is worked out as a double, and so large that this may round it. */
function isRough(node: SqlNode): boolean {
  if (!isWrittenOut(node)) return false;
  const parts = nodesOf(node);
  const isOfDoubles = parts.some((one) => isDoubleConstant(one) || workOf(one) === POWER);
  return (
    isOfDoubles && (isLarge(estimateOf(node)) || parts.some((one) => isDoubleConstant(one) && isLarge(estimateOf(one))))
  );
}
