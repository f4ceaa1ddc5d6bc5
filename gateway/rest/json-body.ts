// JSON bodies, and what many of them say of the block and the chain.
import type { Context } from "hono";
import { z } from "zod";
import { InvalidInputError } from "../errors.ts";
import { BLOCK_DIGITS } from "../history/block-choice.ts";
import { CHAIN_ID_DIGITS, MUST_BE_NUMBER_OR_NEWEST, TIMESTAMP_DIGITS } from "./url-parameters.ts";

/** @throws InvalidInputError naming `body`, which `rule` describes, where it is not JSON */
export const jsonBody = (c: Context, rule: string): Promise<unknown> =>
  c.req.json().catch(() => {
    throw new InvalidInputError("body", rule);
  });

/** A number, or its digits where JSON numbers would not hold it. */
const digitsOrNumber = (digits: RegExp, problem: string) =>
  z.union([z.int(problem).min(0, problem), z.string().regex(digits, problem)], problem).optional();

/** What a body may say of the block and the chain, beside its own fields. */
export const blockInBody = {
  blockNumber: digitsOrNumber(BLOCK_DIGITS, MUST_BE_NUMBER_OR_NEWEST),
  timestamp: digitsOrNumber(TIMESTAMP_DIGITS, "must be whole seconds since 1970, e.g. 1760000000"),
  chainId: digitsOrNumber(CHAIN_ID_DIGITS, "must be a chain id in digits"),
};

/** The texts of {@link blockInBody}: what the body leaves out is the URL's. */
export function blockAndChain(c: Context, body: z.output<z.ZodObject<typeof blockInBody>>) {
  const textOf = (field: keyof typeof blockInBody): string | undefined => {
    const value = body[field] ?? c.req.query(field);
    return value === undefined ? undefined : String(value);
  };
  return { number: textOf("blockNumber"), timestamp: textOf("timestamp"), chainId: textOf("chainId") };
}
