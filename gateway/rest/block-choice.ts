// How REST names a block: by number, or as an extra by time.
import { type BlockChoice, parseBlockNumber } from "../block-point.ts";
import { InvalidInputError } from "../errors.ts";

/** The two parameters that can name one block, as the caller knows them. */
export interface BlockParameters {
  number: string;
  timestamp: string;
  /** What a number beyond the chain's head means. */
  beyondHead: "clamp" | "refuse";
}

export const ONE_BLOCK: BlockParameters = { number: "blockNumber", timestamp: "timestamp", beyondHead: "clamp" };

/** Exactly one of the two. @throws InvalidInputError naming the parameter */
export function parseBlockChoice(
  asked: { number: string | undefined; timestamp: string | undefined },
  parameters: BlockParameters = ONE_BLOCK,
): BlockChoice {
  const { number, timestamp } = asked;
  if (timestamp === undefined) {
    const parsed = parseBlockNumber(number, parameters.number);
    return { kind: "number", number: parsed, parameter: parameters.number, beyondHead: parameters.beyondHead };
  }
  if (number !== undefined)
    throw new InvalidInputError(
      parameters.timestamp,
      `names a block as ${parameters.number} does; give only one of them`,
    );
  if (!/^\d{1,12}$/.test(timestamp))
    throw new InvalidInputError(parameters.timestamp, "must be whole seconds since 1970 in digits, e.g. 1760000000");
  return { kind: "timestamp", timestamp: Number(timestamp), parameter: parameters.timestamp };
}
