// Arguments that many fields share, in the words of the schema.

import type { GraphQLResolveInfo } from "graphql";
import { z } from "zod";
import type { RequestScope } from "../context.ts";
import { InvalidInputError } from "../errors.ts";
import { type BlockChoice, blockNumbered } from "../history/block-choice.ts";
import { pageSize, parseInput } from "../parameters.ts";

/** What every resolver answers with. */
export interface Context {
  scope: RequestScope;
}

/** For a field that also reads the document. */
export type FieldCall<Arguments, Parent = unknown> = [
  parent: Parent,
  args: Arguments,
  context: Context,
  info: GraphQLResolveInfo,
];

interface BlockInput {
  number?: number | null;
  timestamp?: number | null;
  latest?: boolean | null;
}
export interface BlockArgument {
  block?: BlockInput | null;
}
export interface ChainArgument {
  chainId?: number | null;
}
export interface PageArguments {
  first?: number | null;
  after?: string | null;
}

/** Without one it is the latest block. @throws InvalidInputError naming `name` unless exactly one field is given */
export function blockChoice(block: BlockInput | null | undefined, name = "block"): BlockChoice {
  if (block === undefined || block === null) return { kind: "latest" };
  const { number, timestamp, latest } = block;
  const given = [number, timestamp, latest === false ? undefined : latest].filter(
    (field) => field !== undefined && field !== null,
  );
  if (given.length !== 1) throw new InvalidInputError(name, "give exactly one of number, timestamp, latest");
  if (typeof number === "number") {
    if (number < 0) throw new InvalidInputError(`${name}.number`, "must not be negative");
    return blockNumbered(number, `${name}.number`);
  }
  if (typeof timestamp === "number") return { kind: "timestamp", timestamp, parameter: `${name}.timestamp` };
  return { kind: "latest" };
}

/** Without `to` the range ends at the latest block. */
export interface RangeArguments extends ChainArgument {
  from: BlockInput;
  to?: BlockInput | null;
}

/** @throws InvalidInputError naming `from` or `to` */
export const rangeOf = ({ from, to }: RangeArguments) => ({
  from: blockChoice(from, "from"),
  to: blockChoice(to, "to"),
});

export const chainId = ({ chainId: id }: ChainArgument): number | undefined => id ?? undefined;

export const cursorText = z.string().max(400).optional();

const pageArguments = z.object({ first: pageSize, after: cursorText });

export const pageOf = ({ first, after }: PageArguments) =>
  parseInput(pageArguments, { first: first ?? 100, after: after ?? undefined });
