// A parameter of a URL that is sent twice: only one would be read, and the answer would be to another question.
import type { MiddlewareHandler } from "hono";
import { InvalidInputError } from "../errors.ts";

/** Names as they are written: a URL may hold 10,000 addresses, and these need not be decoded for it. @throws InvalidInputError */
export const refuseRepeated: MiddlewareHandler = async (c, next) => {
  const { url } = c.req;
  const begin = url.indexOf("?");
  const seen = new Set<string>();
  for (const pair of begin < 0 ? [] : url.slice(begin + 1).split("&")) {
    const name = pair.split("=", 1)[0] ?? "";
    if (name !== "" && seen.has(name))
      throw new InvalidInputError(
        name,
        "is sent more than once; send it once, the items of a list with commas between",
      );
    seen.add(name);
  }
  await next();
};
