// Questions about a token from one block to another, and how many hold it: field -> operation.
import { type Address, addressList, parseInput } from "../parameters.ts";
import { balanceChangesPage } from "../questions/balance-changes.ts";
import { balanceHistoryPage } from "../questions/balance-history.ts";
import { balancesAtBlocks, blockNumbers } from "../questions/balances-at-blocks.ts";
import { holdersCount } from "../questions/holders-count.ts";
import { timeWeightedPage } from "../questions/time-weighted-balances.ts";
import {
  type BlockArgument,
  blockChoice,
  type ChainArgument,
  type Context,
  chainId,
  type PageArguments,
  pageOf,
  type RangeArguments,
  rangeOf,
} from "./arguments.ts";
import {
  balanceChangesView,
  balanceHistoryView,
  balancesAtBlocksView,
  holdersCountView,
  timeWeightedView,
} from "./range-views.ts";

type TokenRangeArguments = { token: Address } & RangeArguments & PageArguments;

const tokenRangeOf = (args: TokenRangeArguments) => ({ token: args.token, ...rangeOf(args) });

export const rangeQueries = {
  async balancesAtBlocks(
    _: unknown,
    args: { token: Address; blocks: number[]; users: Address[] } & ChainArgument,
    { scope }: Context,
  ) {
    const blocks = parseInput(blockNumbers, args.blocks, "blocks");
    const users = parseInput(addressList, args.users, "users");
    return balancesAtBlocksView(await scope.run(balancesAtBlocks, { token: args.token, blocks, users }, chainId(args)));
  },

  async balanceHistory(_: unknown, args: TokenRangeArguments & { account: Address }, { scope }: Context) {
    const input = { ...tokenRangeOf(args), account: args.account, ...pageOf(args) };
    return balanceHistoryView(await scope.run(balanceHistoryPage, input, chainId(args)), args.account);
  },

  async balanceChanges(_: unknown, args: TokenRangeArguments, { scope }: Context) {
    const input = { ...tokenRangeOf(args), ...pageOf(args) };
    return balanceChangesView(await scope.run(balanceChangesPage, input, chainId(args)));
  },

  async timeWeightedBalances(
    _: unknown,
    args: TokenRangeArguments & { users?: Address[] | null; weight: "BLOCKS" | "SECONDS"; lookThrough: boolean },
    { scope }: Context,
  ) {
    const users = args.users ? parseInput(addressList, args.users, "users") : undefined;
    const weight = args.weight === "SECONDS" ? ("seconds" as const) : ("blocks" as const);
    const input = { ...tokenRangeOf(args), users, weight, lookThrough: args.lookThrough, ...pageOf(args) };
    return timeWeightedView(await scope.run(timeWeightedPage, input, chainId(args)));
  },

  async holdersCount(_: unknown, args: { token: Address } & BlockArgument & ChainArgument, { scope }: Context) {
    const input = { token: args.token, block: blockChoice(args.block) };
    return holdersCountView(await scope.run(holdersCount, input, chainId(args)));
  },
};
