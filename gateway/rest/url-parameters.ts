// Parameters of a URL that many questions take. What each question makes of them is its own rule.
import type { Context } from "hono";
import { InvalidInputError } from "../errors.ts";
import { address, addressList, parseInput, readFlag, splitList } from "../parameters.ts";
import { type BlockParameters, ONE_BLOCK, parseBlockChoice } from "./block-choice.ts";

export const FIRST_BLOCK: BlockParameters = { number: "fromBlock", timestamp: "fromTimestamp", beyondHead: "refuse" };
export const LAST_BLOCK: BlockParameters = { number: "toBlock", timestamp: "toTimestamp", beyondHead: "clamp" };

/** @throws InvalidInputError naming one of the two `parameters` */
export const blockParameter = (c: Context, parameters = ONE_BLOCK) =>
  parseBlockChoice(
    { number: c.req.query(parameters.number), timestamp: c.req.query(parameters.timestamp) },
    parameters,
  );

/** A step of the path. @throws InvalidInputError naming `token` */
export const tokenParameter = (c: Context) => parseInput(address, c.req.param("token"), "token");

/** Undefined where it is not sent. @throws InvalidInputError naming `users` */
export const usersParameter = (c: Context) => {
  const users = c.req.query("users");
  return users === undefined ? undefined : parseInput(addressList, splitList(users, "users"), "users");
};

/** Undefined where it is not sent. @throws InvalidInputError naming `parameter` unless it is `true` or `false` */
export const flagParameter = (c: Context, parameter: string): boolean | undefined =>
  readFlag(c.req.query(parameter), parameter);

/** Undefined where it is not sent. The range, which ends long before 2^53, is its schema's rule. @throws InvalidInputError naming `parameter` */
export function integerParameter(c: Context, parameter: string): number | undefined {
  const text = c.req.query(parameter);
  if (text === undefined) return undefined;
  if (!/^-?\d+$/.test(text)) throw new InvalidInputError(parameter, "must be a whole number in digits");
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number(text), Number.MAX_SAFE_INTEGER));
}
