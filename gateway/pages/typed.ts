// What was typed into a form, as values. What is wrong with it the questions' shapes say.
import { InvalidInputError } from "../errors.ts";
import type { ViewRequest } from "./view.ts";

/** Digits become a number; anything else is refused by the shape of the page. */
export const integerIn = (text: string | undefined, otherwise: number): number =>
  text === undefined ? otherwise : /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;

/** @throws InvalidInputError naming the parameter */
export function flagIn({ query }: ViewRequest, parameter: string): boolean | undefined {
  const text = query(parameter);
  if (text === undefined) return undefined;
  if (text !== "true" && text !== "false") throw new InvalidInputError(parameter, "must be true or false");
  return text === "true";
}
