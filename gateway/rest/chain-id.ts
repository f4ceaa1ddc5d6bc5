// The optional `chainId` parameter of every REST root.
import { InvalidInputError } from "../errors.ts";

export const CHAIN_ID_DIGITS = /^\d{1,15}$/;

/** @throws InvalidInputError when it is not a number; whether it is served is chainOf's rule */
export function chainIdOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!CHAIN_ID_DIGITS.test(text)) throw new InvalidInputError("chainId", "must be a chain id in digits");
  return Number(text);
}
