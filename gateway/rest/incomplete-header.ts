// The header that says which contracts' holdings are missing from an answer.
import type { Context } from "hono";
import type { Address } from "../parameters.ts";

/** For an answer's table; it is not sent where it names none. */
export const incompleteHeader = (incomplete: readonly Address[]): { "X-Incomplete": string } => ({
  "X-Incomplete": incomplete.join(","),
});

/** For an answer without one. */
export function setIncomplete(c: Context, incomplete: readonly Address[]): void {
  if (incomplete.length > 0) c.header("X-Incomplete", incomplete.join(","));
}
