// What was typed into a form, as values. What is wrong with it the questions' shapes say.
import { InvalidInputError } from "../errors.ts";
import { readFlag } from "../parameters.ts";
import type { ViewRequest } from "./view.ts";

/** `otherwise` where it is not given. @throws InvalidInputError naming the parameter */
export function integerIn({ query }: Pick<ViewRequest, "query">, parameter: string, otherwise: number): number {
  const text = query(parameter);
  if (text === undefined) return otherwise;
  if (!/^\d{1,10}$/.test(text)) throw new InvalidInputError(parameter, "must be a whole number in digits");
  return Number(text);
}

/** @throws InvalidInputError naming the parameter */
export const flagIn = ({ query }: ViewRequest, parameter: string): boolean | undefined =>
  readFlag(query(parameter), parameter);
