// Answers about ranges in the shapes of schema.graphql. Renaming and formatting only.
import { decimalOf } from "../numbers.ts";
import type { Address } from "../parameters.ts";
import type { BalanceChangesPage } from "../questions/balance-changes.ts";
import type { BalanceHistory, BalanceStep } from "../questions/balance-history.ts";
import type { BalancesAtBlocks } from "../questions/balances-at-blocks.ts";
import type { HoldersCount } from "../questions/holders-count.ts";
import type { LocatedRange } from "../questions/locate-range.ts";
import type { TimeWeightedPage } from "../questions/time-weighted-balances.ts";
import { blockView, connection, metadataView, sourceView, unattributedView } from "./views.ts";

const decimalsOf = ({ located }: LocatedRange) => located.token.metadata?.decimals;

const rangeView = ({ located, from, to }: LocatedRange) => ({
  token: metadataView(located.token),
  from: blockView(from),
  to: blockView(to),
});

export const balancesAtBlocksView = ({ located, blocks }: BalancesAtBlocks) =>
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

export function balanceHistoryView({ range, opening, closing, entries, hasNextPage }: HistoryPage, account: Address) {
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

export function balanceChangesView(page: BalanceChangesPage) {
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

export function timeWeightedView(page: TimeWeightedPage) {
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

export const holdersCountView = ({ located, ...counted }: HoldersCount) => ({
  token: metadataView(located.token),
  block: blockView(located.point),
  ...counted,
});
