// The header that says which contracts' holdings are missing from an answer.
import type { Context } from "hono";
import type { Address } from "../parameters.ts";

/** It is not sent where none are. */
export function setIncomplete(c: Context, incomplete: readonly Address[]): void {
  if (incomplete.length > 0) c.header("X-Incomplete", incomplete.join(","));
}
