import type { Context } from "hono";
import { InvalidInputError } from "../errors.ts";

/** Undefined where it is not sent. @throws InvalidInputError naming `parameter` unless it is `true` or `false` */
export function flagOf(c: Context, parameter: string): boolean | undefined {
  const text = c.req.query(parameter);
  if (text === undefined) return undefined;
  if (text !== "true" && text !== "false") throw new InvalidInputError(parameter, "must be true or false");
  return text === "true";
}
