// DuckDB's parse tree of a statement, as json_serialize_sql writes it.
import type { StatementPlace } from "../gateway/sql/sql-errors.ts";
import { placeAt } from "./statement-place.ts";

export type SqlNode = Readonly<Record<string, unknown>>;

/** The place that DuckDB's tree has for what is not in the text. */
const NOWHERE = 2 ** 53;

/** All nodes below `tree` and itself. Iterative, as the asker decides how deep the tree is. */
export function nodesOf(tree: SqlNode): SqlNode[] {
  const found: SqlNode[] = [];
  const waiting: unknown[] = [tree];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (Array.isArray(value)) for (const one of value) waiting.push(one);
    else if (typeof value === "object" && value !== null) {
      found.push(value as SqlNode);
      for (const one of Object.values(value)) waiting.push(one);
    }
  }
  return found;
}

export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

export function placeOf({ query_location: offset }: SqlNode, text: string): StatementPlace | undefined {
  return typeof offset === "number" && offset < NOWHERE ? placeAt(text, offset) : undefined;
}
