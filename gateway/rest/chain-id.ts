// The optional `chainId` parameter of every REST root, and the ones that are needed.
import type { Service } from "../context.ts";
import { InvalidInputError } from "../errors.ts";

export const CHAIN_ID_DIGITS = /^\d{1,15}$/;

/** @throws InvalidInputError when it is not a number; whether it is served is chainOf's rule */
export function chainIdOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!CHAIN_ID_DIGITS.test(text)) throw new InvalidInputError("chainId", "must be a chain id in digits");
  return Number(text);
}

/** Where it is needed. @throws InvalidInputError naming `parameter` and the chains that there are */
export function servedChainId(service: Service, text: string | undefined, parameter = "chainId"): number {
  const served = service.chains.map(({ chainId }) => chainId);
  const refuse = (problem: string) =>
    new InvalidInputError(parameter, `${problem}; served: ${served.join(", ")}`, { served });
  if (!text) throw refuse("is missing");
  if (!CHAIN_ID_DIGITS.test(text)) throw refuse("must be a chain id in digits");
  const chainId = Number(text);
  if (!served.includes(chainId)) throw refuse(`chain ${chainId} is not served`);
  return chainId;
}
