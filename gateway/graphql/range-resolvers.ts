// Questions about a token from one block to another, and how many hold it: field -> operation, and the answers in the shapes of
// schema.graphql.
import { decimalOf } from "../numbers.ts";
import { type Address, addressList, parseInput } from "../parameters.ts";
import { type BalanceChangesPage, balanceChangesPage } from "../questions/balance-changes.ts";
import { type BalanceHistory, type BalanceStep, balanceHistoryPage } from "../questions/balance-history.ts";
import { type BalancesAtBlocks, balancesAtBlocks, blockNumbers } from "../questions/balances-at-blocks.ts";
import { type HoldersCount, holdersCount } from "../questions/holders-count.ts";
import type { LocatedRange } from "../questions/locate-range.ts";
import { type TimeWeightedPage, timeWeightedPage } from "../questions/time-weighted-balances.ts";
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
import { blockView, connection, metadataView, sourceView, unattributedView } from "./views.ts";

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

const decimalsOf = ({ located }: LocatedRange) => located.token.metadata?.decimals;

const rangeView = ({ located, from, to }: LocatedRange) => ({
  token: metadataView(located.token),
  from: blockView(from),
  to: blockView(to),
});

const balancesAtBlocksView = ({ located, blocks }: BalancesAtBlocks) =>
  blocks.map(({ point, entries, incomplete }) => ({
    block: blockView(point),
    incomplete,
    nodes: entries.map(({ account, amount }) => ({
      account,
      amount,
      amountDecimal: decimalOf(amount, located.token.metadata?.decimals),
    })),
  }));

type HistoryPage = BalanceHistory & { entries: (BalanceStep & { cursor: string })[]; hasNextPage: boolean };

function balanceHistoryView({ range, opening, closing, entries, hasNextPage }: HistoryPage, account: Address) {
  const decimals = decimalsOf(range);
  return {
    ...rangeView(range),
    account,
    opening,
    openingDecimal: decimalOf(opening, decimals),
    closing,
    closingDecimal: decimalOf(closing, decimals),
    nodes: entries.map(({ block, timestamp, before, amount }) => ({
      block,
      timestamp: timestamp ?? null,
      amount,
      amountDecimal: decimalOf(amount, decimals),
      delta: amount - before,
      deltaDecimal: decimalOf(amount - before, decimals),
    })),
    pageInfo: { hasNextPage, endCursor: entries.at(-1)?.cursor ?? null },
  };
}

function balanceChangesView(page: BalanceChangesPage) {
  const decimals = decimalsOf(page.range);
  return {
    ...rangeView(page.range),
    ...connection(page, ({ account, before, after }) => ({
      account,
      before,
      beforeDecimal: decimalOf(before, decimals),
      after,
      afterDecimal: decimalOf(after, decimals),
      delta: after - before,
      deltaDecimal: decimalOf(after - before, decimals),
    })),
  };
}

function timeWeightedView(page: TimeWeightedPage) {
  const decimals = decimalsOf(page.range);
  const { weight, total, rest, incomplete } = page;
  return {
    ...rangeView(page.range),
    ...connection(page, ({ account, sum, average, sources }) => ({
      account,
      numerator: sum ?? null,
      denominator: Number(total),
      averageRoundedDown: average,
      averageRoundedDownDecimal: decimalOf(average, decimals),
      sources: () => sources.map((source) => sourceView(source, decimals)),
    })),
    weight: weight.toUpperCase(),
    weightTotal: Number(total),
    supply: rest?.supply ?? null,
    supplyDecimal: rest ? decimalOf(rest.supply, decimals) : null,
    rounding: rest?.rounding ?? null,
    unattributed: rest?.unattributed.map((one) => unattributedView(one, decimals)) ?? null,
    incomplete,
  };
}

const holdersCountView = ({ located, ...counted }: HoldersCount) => ({
  token: metadataView(located.token),
  block: blockView(located.point),
  ...counted,
});
