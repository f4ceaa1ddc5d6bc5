// A parameter of a URL that is sent twice, or a list sent item by item: only one would be read, or none, and the answer would be to
// another question.
import type { MiddlewareHandler } from "hono";
import { InvalidInputError } from "../errors.ts";

export const SENT_TWICE = "is sent more than once; send it once, the items of a list with commas between";

/** `users[]` and `users[0]`, as many HTTP clients write the items of a list. */
const ITEM = /^(\w+)\[\w*\]$/;

/** `lists`: names of the parameters that are lists. Its handler throws InvalidInputError. */
export const refuseRepeated =
  (lists: ReadonlySet<string>): MiddlewareHandler =>
  async (c, next) => {
    const names = namesIn(c.req.url);
    for (const name of names) {
      const list = ITEM.exec(name)?.[1];
      if (list !== undefined && lists.has(list))
        throw new InvalidInputError(name, `is not read; send ${list} once, its items with commas between`);
    }
    const repeated = firstRepeated(names);
    if (repeated !== undefined) throw new InvalidInputError(repeated, SENT_TWICE);
    await next();
  };

/** The first one. */
export const repeatedParameter = (url: string): string | undefined => firstRepeated(namesIn(url));

/** Values are not parsed, as a URL may hold 10,000 addresses. */
function namesIn(url: string): string[] {
  const begin = url.indexOf("?");
  const pairs = begin < 0 ? [] : url.slice(begin + 1).split("&");
  return pairs.map((pair) => decoded(pair.split("=", 1)[0] ?? "")).filter((name) => name !== "");
}

function firstRepeated(names: readonly string[]): string | undefined {
  const seen = new Set<string>();
  return names.find((name) => seen.size === seen.add(name).size);
}

const decoded = (name: string): string => (/[%+]/.test(name) ? ([...new URLSearchParams(name).keys()][0] ?? "") : name);
