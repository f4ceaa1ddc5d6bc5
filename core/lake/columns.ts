// Columns of the history lake: two types that every reader of Parquet shares, and what their values mean.

/**
 * `decimal`: an integer of any size as decimal digits, which no type that all readers share can hold. `hex`: 0x and lower-case
 * digits. `json`: text of a JSON value.
 */
type Meaning = "integer" | "decimal" | "hex" | "text" | "json";

export interface LakeColumn {
  name: string;
  /** Parquet's INT32, and BYTE_ARRAY of UTF-8, by the names that SQL gives them. */
  type: "INTEGER" | "VARCHAR";
  meaning: Meaning;
}

export const lakeColumn = (name: string, meaning: Meaning): LakeColumn => ({
  name,
  type: meaning === "integer" ? "INTEGER" : "VARCHAR",
  meaning,
});

/** Whether the order of a column's values means anything: where it does, a file's smallest and largest one prune. */
export const isOrdered = ({ meaning }: LakeColumn): boolean => meaning !== "decimal" && meaning !== "json";

/** What values of a PostgreSQL type are in the lake; `text` columns of facts hold addresses and hashes, or words. */
export function meaningOf(sqlType: string): Meaning {
  if (sqlType === "int4") return "integer";
  if (sqlType === "bytea") return "hex";
  if (sqlType === "jsonb") return "json";
  return sqlType.startsWith("numeric") ? "decimal" : "text";
}

/** SQL of a value of such a type as the lake has it: an integer, or text. An empty byte string is an empty text. */
export function lakeValue(expression: string, sqlType: string): string {
  if (sqlType === "int4") return expression;
  if (sqlType === "bytea") return `case when ${expression} = '' then '' else '0x' || encode(${expression}, 'hex') end`;
  return `${expression}::text`;
}

/** The way back: SQL of the type's own value, from the lake's. */
export function ownValue(expression: string, sqlType: string): string {
  if (sqlType === "bytea") return `decode(substr(${expression}, 3), 'hex')`;
  return sqlType.startsWith("numeric") ? `${expression}::numeric` : expression;
}
