// Parameters that many questions take: block, chain, accounts. What each question makes of them is its own rule.
import type { Context } from "hono";
import type { Service } from "../context.ts";
import { InvalidInputError } from "../errors.ts";
import { type BlockChoice, MUST_BE_NUMBER, parseBlockNumber } from "../history/block-choice.ts";
import { address, addressList, parseInput, readFlag, splitList } from "../parameters.ts";

export const TIMESTAMP_DIGITS = /^\d{1,12}$/;

/** Where a number beyond the chain's head is no mistake: clients of other interfaces look for `latest`. */
export const MUST_BE_NUMBER_OR_NEWEST = `${MUST_BE_NUMBER}; 99999999999 asks for the last synced one`;

/** The two parameters that can name one block, as the caller knows them. */
interface BlockParameters {
  number: string;
  timestamp: string;
  /** What a number beyond the chain's head means. */
  beyondHead: "clamp" | "refuse";
}

const ONE_BLOCK: BlockParameters = { number: "blockNumber", timestamp: "timestamp", beyondHead: "clamp" };

/** What was sent of them. */
interface SentBlock {
  number: string | undefined;
  timestamp: string | undefined;
}

/** Exactly one of the two. @throws InvalidInputError naming the parameter */
export function parseBlockChoice(
  { number, timestamp }: SentBlock,
  parameters: BlockParameters = ONE_BLOCK,
): BlockChoice {
  if (timestamp === undefined) {
    if (!number)
      throw new InvalidInputError(
        parameters.number,
        `is missing; give a block number, or a time as ${parameters.timestamp} instead`,
      );
    const problem = parameters.beyondHead === "clamp" ? MUST_BE_NUMBER_OR_NEWEST : MUST_BE_NUMBER;
    const parsed = parseBlockNumber(number, parameters.number, problem);
    return { kind: "number", number: parsed, parameter: parameters.number, beyondHead: parameters.beyondHead };
  }
  if (number !== undefined)
    throw new InvalidInputError(
      parameters.timestamp,
      `names a block as ${parameters.number} does; give only one of them`,
    );
  if (!TIMESTAMP_DIGITS.test(timestamp))
    throw new InvalidInputError(parameters.timestamp, "must be whole seconds since 1970 in digits, e.g. 1760000000");
  return { kind: "timestamp", timestamp: Number(timestamp), parameter: parameters.timestamp };
}

/** {@link parseBlockChoice}; the last synced block where neither is sent. */
export const blockOrLatest = ({ number, timestamp }: SentBlock): BlockChoice =>
  number === undefined && timestamp === undefined ? { kind: "latest" } : parseBlockChoice({ number, timestamp });

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
