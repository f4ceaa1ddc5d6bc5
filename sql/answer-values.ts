// Values of DuckDB in the forms that answers have: JSON, where numbers that JSON cannot hold exactly are text, and plain text.
import { type DuckDBType, DuckDBTypeId, type DuckDBValue, JsonDuckDBValueConverter } from "@duckdb/node-api";

/** A value as JSON text. */
export type ToJson = (value: DuckDBValue) => string;
/** A value as text of a CSV field; null is none. */
export type ToText = (value: DuckDBValue) => string | null;

const LARGEST = BigInt(Number.MAX_SAFE_INTEGER);

const SMALL_INTEGERS = new Set([
  ...[DuckDBTypeId.TINYINT, DuckDBTypeId.SMALLINT, DuckDBTypeId.INTEGER],
  ...[DuckDBTypeId.UTINYINT, DuckDBTypeId.USMALLINT, DuckDBTypeId.UINTEGER],
]);
const LARGE_INTEGERS = new Set([
  DuckDBTypeId.BIGINT,
  DuckDBTypeId.UBIGINT,
  DuckDBTypeId.HUGEINT,
  DuckDBTypeId.UHUGEINT,
]);
const FRACTIONS = new Set([DuckDBTypeId.FLOAT, DuckDBTypeId.DOUBLE]);

/** A whole number that a double holds exactly is a number, every other one is text. */
const largeInteger = (value: bigint): string => (value <= LARGEST && value >= -LARGEST ? String(value) : `"${value}"`);

const fraction = (value: number): string => (Number.isFinite(value) ? String(value) : JSON.stringify(String(value)));

function jsonOf(value: DuckDBValue, type: DuckDBType): string {
  const { typeId } = type;
  if (SMALL_INTEGERS.has(typeId) || typeId === DuckDBTypeId.BOOLEAN) return String(value);
  if (typeId === DuckDBTypeId.VARCHAR) return JSON.stringify(value);
  if (LARGE_INTEGERS.has(typeId)) return largeInteger(value as bigint);
  if (typeId === DuckDBTypeId.BIGNUM) return `"${value}"`;
  if (FRACTIONS.has(typeId)) return fraction(value as number);
  return JSON.stringify(JsonDuckDBValueConverter(value, type, JsonDuckDBValueConverter));
}

export const toJson =
  (type: DuckDBType): ToJson =>
  (value) =>
    value === null ? "null" : jsonOf(value, type);

export const toText = (type: DuckDBType): ToText => {
  const isNested = [
    DuckDBTypeId.LIST,
    DuckDBTypeId.STRUCT,
    DuckDBTypeId.MAP,
    DuckDBTypeId.ARRAY,
    DuckDBTypeId.UNION,
  ].includes(type.typeId);
  return (value) => (value === null ? null : isNested ? jsonOf(value, type) : String(value));
};
