// The header that says which contracts' holdings are missing from an answer.
import type { Context } from "hono";
import type { Address } from "../parameters.ts";

/** Clients and proxies give up an answer with headers of more than 4 to 16 KiB; every island of a token may be unknown. */
export const MOST_NAMED = 60;

/** It is not sent where none are. */
export function setIncomplete(c: Context, incomplete: readonly Address[]): void {
  if (incomplete.length > 0) c.header("X-Incomplete", incompleteText(incomplete));
}

/** How many there are beyond {@link MOST_NAMED} is the last item. */
export function incompleteText(incomplete: readonly string[]): string {
  const more = incomplete.length - MOST_NAMED;
  return [...incomplete.slice(0, MOST_NAMED), ...(more > 0 ? [`+${more}`] : [])].join(",");
}
