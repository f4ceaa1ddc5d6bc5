// Where a token sat: field -> operation, in the shapes of schema.graphql.
import { z } from "zod";
import { decimalOf } from "../numbers.ts";
import { type Address, parseInput } from "../parameters.ts";
import { type Distribution, distribution, distributionHistory, MOST_DISTRIBUTIONS } from "../questions/distribution.ts";
import {
  type BlockArgument,
  blockChoice,
  type ChainArgument,
  type Context,
  chainId,
  type RangeArguments,
  rangeOf,
} from "./arguments.ts";
import { blockView, metadataView, unattributedView } from "./views.ts";

const POINTS_RULE = `must be from 1 to ${MOST_DISTRIBUTIONS}; for more ask for parts of the range, one by one`;

const spacing = z.object({ points: z.number().int().min(1, POINTS_RULE).max(MOST_DISTRIBUTIONS, POINTS_RULE) });

export const distributionQueries = {
  async distribution(_: unknown, args: { token: Address } & BlockArgument & ChainArgument, { scope }: Context) {
    const input = { token: args.token, block: blockChoice(args.block) };
    return distributionView(await scope.run(distribution, input, chainId(args)));
  },

  async distributionHistory(
    _: unknown,
    args: { token: Address; points?: number | null } & RangeArguments,
    { scope }: Context,
  ) {
    const { points } = parseInput(spacing, { points: args.points ?? 12 });
    const input = { token: args.token, ...rangeOf(args), points };
    return (await scope.run(distributionHistory, input, chainId(args))).map(distributionView);
  },
};

function distributionView({ located, supply, holders, top10, top100, sources, unattributed }: Distribution) {
  const decimals = located.token.metadata?.decimals;
  const decimal = (amount: bigint) => decimalOf(amount, decimals);
  const withDecimal = <Held extends { amount: bigint }>(held: Held) => ({
    ...held,
    amountDecimal: decimal(held.amount),
  });
  return {
    token: metadataView(located.token),
    block: blockView(located.point),
    supply,
    supplyDecimal: decimal(supply),
    holders,
    top10,
    top10Decimal: decimal(top10),
    top100,
    top100Decimal: decimal(top100),
    sources: sources.map(({ kind, contracts, ...sum }) => ({
      ...withDecimal(sum),
      source: kind,
      contracts: contracts.map(({ ways, ...contract }) => ({ ...withDecimal(contract), ways: ways.map(withDecimal) })),
    })),
    unattributed: unattributed.map((one) => unattributedView(one, decimals)),
  };
}
