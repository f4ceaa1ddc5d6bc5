// What is wrong with a value whose schema has no message of its own: says what the value must be, never what a parser expected.
import type { z } from "zod";

const KINDS: Readonly<Record<string, string>> = {
  array: "must be a list",
  object: "must be an object, in braces",
  record: "must be an object, in braces",
  string: "must be text, in quotes",
  number: "must be a number",
  int: "must be a whole number",
  boolean: "must be true or false",
};

type Issue = z.core.$ZodRawIssue;

const sizeOf = (origin: string, limit: number | bigint): string => {
  if (origin === "array") return limit === 1 ? "1 item" : `${limit} items`;
  return origin === "string" ? `${limit} ${limit === 1 ? "character" : "characters"}` : String(limit);
};

/** Undefined where the schema's own message applies. */
export function plainProblem(issue: Issue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined ? "is missing" : KINDS[issue.expected];
    case "too_big":
      return `must be at most ${sizeOf(issue.origin, issue.maximum)}`;
    case "too_small":
      return `must be at least ${sizeOf(issue.origin, issue.minimum)}`;
    case "invalid_value":
      return `must be ${issue.values.map(String).join(" or ")}`;
    case "unrecognized_keys":
      return `has fields that are not known: ${issue.keys.join(", ")}; leave them out`;
    default:
      return undefined;
  }
}
