// From a filter in the words of the schema to SQL conditions on a fact table `f`.
import { literal } from "../../core/sql-literal.ts";
import { InvalidInputError } from "../errors.ts";
import { type Column, expressionOf, type FactKind, type Source } from "./fact-kind.ts";

/** Both ends included. */
interface Range<T> {
  min?: T | null;
  max?: T | null;
}

/** As the schema has parsed it: addresses in lower case, amounts as bigint, enums among their values. */
export type Filter = Readonly<Record<string, unknown>>;

/** Most values of one list. */
const MOST_VALUES = 1_000;
const NEVER = "false";

/** @throws InvalidInputError naming the filter when the list is empty, too long, or no text of PostgreSQL's */
function requireList(values: readonly unknown[], name: string): void {
  if (values.length === 0) throw new InvalidInputError(`where.${name}`, "must name at least one value, or be left out");
  if (values.length > MOST_VALUES)
    throw new InvalidInputError(`where.${name}`, `must name at most ${MOST_VALUES} values`);
  if (values.some((value) => String(value).includes("\0")))
    throw new InvalidInputError(`where.${name}`, "must not hold a zero character");
}

/** `expression` is one of `values`. */
function isAmong(expression: string, values: readonly unknown[]): string {
  if (expression === "null") return NEVER;
  return values.length === 1
    ? `${expression} = ${literal(values[0])}`
    : `${expression} in (${values.map(literal).join(", ")})`;
}

function isWithin(expression: string, { min, max }: Range<bigint | number>): string[] {
  const ends = [
    ...(typeof min === "bigint" || typeof min === "number" ? [`${expression} >= ${min}`] : []),
    ...(typeof max === "bigint" || typeof max === "number" ? [`${expression} <= ${max}`] : []),
  ];
  return expression === "null" && ends.length > 0 ? [NEVER] : ends;
}

function conditionOn(column: Column, value: unknown, place: { expression: string; name: string }): string[] {
  const isRange = column.values === undefined && (column.scalar === "BigInt" || column.scalar === "Int");
  if (isRange) return isWithin(place.expression, value as Range<bigint | number>);
  const given = value as unknown[];
  const values = [...new Set(column.isHex ? given.map((text) => String(text).toLowerCase()) : given)];
  requireList(values, place.name);
  return [isAmong(place.expression, values)];
}

/**
 * SQL conditions, all of which must hold; `block` and `timestamp` are the caller's to turn into a range of blocks.
 * @throws InvalidInputError naming the filter
 */
export function conditionsOf(kind: FactKind, source: Source, where: Filter): string[] {
  const conditions = source.condition === undefined ? [] : [source.condition];
  for (const [name, value] of Object.entries(where)) {
    if (value === null || value === undefined || name === "block" || name === "timestamp") continue;
    const own = kind.columns[name];
    const several = kind.anyOf?.[name];
    if (own) conditions.push(...conditionOn(own, value, { expression: expressionOf(source, name), name }));
    else if (several) {
      const values = [...new Set(value as unknown[])];
      requireList(values, name);
      const any = several.columns.map((column) => isAmong(expressionOf(source, column), values));
      conditions.push(`(${any.join(" or ")})`);
    }
  }
  return conditions;
}
