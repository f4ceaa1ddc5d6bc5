// A parameter of a URL that is sent twice: only one would be read, and the answer would be to another question.
import type { MiddlewareHandler } from "hono";
import { InvalidInputError } from "../errors.ts";

export const SENT_TWICE = "is sent more than once; send it once, the items of a list with commas between";

/** @throws InvalidInputError */
export const refuseRepeated: MiddlewareHandler = async (c, next) => {
  const name = repeatedParameter(c.req.url);
  if (name !== undefined) throw new InvalidInputError(name, SENT_TWICE);
  await next();
};

/** The first one; values are not parsed, as a URL may hold 10,000 addresses. */
export function repeatedParameter(url: string): string | undefined {
  const begin = url.indexOf("?");
  const seen = new Set<string>();
  for (const pair of begin < 0 ? [] : url.slice(begin + 1).split("&")) {
    const name = decoded(pair.split("=", 1)[0] ?? "");
    if (name !== "" && seen.has(name)) return name;
    seen.add(name);
  }
  return undefined;
}

const decoded = (name: string): string => (/[%+]/.test(name) ? ([...new URLSearchParams(name).keys()][0] ?? "") : name);
