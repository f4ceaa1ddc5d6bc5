// How REST names a block: by number, or as an extra by time.
import { InvalidInputError } from "../errors.ts";
import { type BlockChoice, MUST_BE_NUMBER, parseBlockNumber } from "../history/block-choice.ts";

export const TIMESTAMP_DIGITS = /^\d{1,12}$/;

/** Where a number beyond the chain's head is no mistake: clients of other interfaces look for `latest`. */
export const MUST_BE_NUMBER_OR_NEWEST = `${MUST_BE_NUMBER}; 99999999999 asks for the last synced one`;

/** The two parameters that can name one block, as the caller knows them. */
export interface BlockParameters {
  number: string;
  timestamp: string;
  /** What a number beyond the chain's head means. */
  beyondHead: "clamp" | "refuse";
}

export const ONE_BLOCK: BlockParameters = { number: "blockNumber", timestamp: "timestamp", beyondHead: "clamp" };

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
