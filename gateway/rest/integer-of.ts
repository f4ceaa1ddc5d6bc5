// Whole numbers among the parameters of a URL.
import type { Context } from "hono";
import { InvalidInputError } from "../errors.ts";

/** `otherwise` where it is not sent. The range is its schema's rule. @throws InvalidInputError naming `parameter` */
export function integerOf(c: Context, parameter: string, otherwise: number): number {
  const text = c.req.query(parameter);
  if (text === undefined) return otherwise;
  if (!/^-?\d{1,15}$/.test(text)) throw new InvalidInputError(parameter, "must be a whole number in digits");
  return Number(text);
}
