// Answers that have JSON as their only form: a request for another one is refused, instead of getting JSON for a file of rows.
import type { MiddlewareHandler } from "hono";
import { InvalidInputError } from "../errors.ts";
import { parseFormat } from "./answer-format.ts";

/** @throws InvalidInputError naming `format` */
export const jsonAlone: MiddlewareHandler = async (c, next) => {
  if (parseFormat(c.req.query("format")) !== "json")
    throw new InvalidInputError("format", "must be json, or be left out: this answer has no other form");
  await next();
};
