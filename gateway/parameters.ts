// The shapes of single inputs, shared by all operations: what is accepted, how it is normalised, what the error says.
import { z } from "zod";
import { InvalidInputError } from "./errors.ts";
import { plainProblem } from "./plain-problem.ts";

/** Most accounts or addresses in one list. */
export const MOST_LISTED = 10_000;
/** Most entries of one page. */
export const MOST_PER_PAGE = 1_000;

export type Address = `0x${string}`;

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const NO_ADDRESS = "must be a 0x-prefixed address of 40 hex digits";

/** The error of a schema: what is not sent is said to be missing, not wrong. */
export const orMissing = (problem: string) => ({
  error: ({ input }: { input?: unknown }) => (input === undefined ? `is missing; it ${problem}` : problem),
});

/** 0x and 40 hex digits in any case; lower case from here on. */
export const address = z
  .string(orMissing(NO_ADDRESS))
  .regex(ADDRESS, NO_ADDRESS)
  .transform((value) => value.toLowerCase() as Address);

/** Of a position manager: digits. */
export const tokenId = z
  .string("must be a number in digits")
  .regex(/^\d{1,78}$/, "must be a number in digits")
  .transform((digits) => BigInt(digits));

/** Distinct lower-case addresses in first-asked order; of thousands a schema for each would be most of a request. */
export const addressList = z
  .array(z.string(NO_ADDRESS).meta({ pattern: ADDRESS.source }), "must be a list of addresses")
  .min(1, "must name at least one address, or be left out")
  .max(MOST_LISTED, `must name at most ${MOST_LISTED} addresses`)
  .transform((list, context) => {
    const wrong = list.findIndex((item) => !ADDRESS.test(item));
    if (wrong >= 0) context.addIssue({ code: "custom", message: NO_ADDRESS, path: [wrong] });
    return [...new Set(list.map((item) => item.toLowerCase() as Address))];
  });

/** From `least` to `most`, both included. */
export const wholeNumber = (least: number, most: number) =>
  z.int("must be a whole number").min(least, `must be at least ${least}`).max(most, `must be at most ${most}`);

export const pageSize = z
  .number()
  .int()
  .min(1, "must be at least 1")
  .max(MOST_PER_PAGE, `must be at most ${MOST_PER_PAGE}`);

/**
 * `value` in the shape of `schema`.
 * @throws InvalidInputError naming the parameter: the first step of the failing path, or `parameter` when it has none
 */
export function parseInput<T extends z.ZodType>(schema: T, value: unknown, parameter = "input"): z.output<T> {
  const parsed = schema.safeParse(value, { error: plainProblem });
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const [step, next] = issue?.path ?? [];
  // a list that was parsed by itself has no name in the path
  const index = typeof step === "number" ? step : next;
  const at = typeof index === "number" ? `item ${index + 1} ` : "";
  throw new InvalidInputError(typeof step === "string" ? step : parameter, at + (issue?.message ?? "is malformed"));
}

/** `true` or `false`, in any case: Python writes them with a capital. @throws InvalidInputError naming `parameter` */
export function readFlag(text: string | undefined, parameter: string): boolean | undefined {
  const flag = text?.toLowerCase();
  if (flag === undefined) return undefined;
  if (flag !== "true" && flag !== "false") throw new InvalidInputError(parameter, "must be true or false");
  return flag === "true";
}

/** The items of a comma-separated list. @throws InvalidInputError when the list or an item is empty */
export function splitList(text: string, parameter: string): string[] {
  const items = text.split(",").map((item) => item.trim());
  if (items.length > MOST_LISTED) throw new InvalidInputError(parameter, `must name at most ${MOST_LISTED} addresses`);
  const empty = items.indexOf("");
  if (empty >= 0) throw new InvalidInputError(parameter, `item ${empty + 1} is empty; give addresses, commas between`);
  return items;
}
