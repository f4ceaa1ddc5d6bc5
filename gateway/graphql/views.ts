// Operations' plain data in the shapes of schema.graphql. Renaming and formatting only.
import type { BlockPoint } from "../ledger/point.ts";
import type { TokenState } from "../ledger/token-state.ts";
import { toExactDecimal, toNearestDouble } from "../numbers.ts";
import type { AccountBalancesPage } from "../operations/account-balances.ts";
import type { BalancesPage } from "../operations/balances.ts";
import type { TokenAt, TokensPage } from "../operations/tokens.ts";

const blockView = ({ block, hash, timestamp }: BlockPoint) => ({
  number: block,
  hash: hash ?? null,
  timestamp: timestamp ?? null,
});

/** A connection over entries that carry their cursors. */
const connection = <Entry extends { cursor: string }, Node>(
  page: { entries: readonly Entry[]; totalCount: number; hasNextPage: boolean },
  nodeOf: (entry: Entry) => Node,
) => {
  const edges = page.entries.map((entry) => ({ cursor: entry.cursor, node: nodeOf(entry) }));
  return {
    edges,
    nodes: edges.map((edge) => edge.node),
    pageInfo: { hasNextPage: page.hasNextPage, endCursor: edges.at(-1)?.cursor ?? null },
    totalCount: page.totalCount,
  };
};

const decimalOf = (amount: bigint | undefined, decimals: number | undefined) =>
  amount === undefined || decimals === undefined ? null : toExactDecimal(amount, decimals);
const doubleOf = (amount: bigint, decimals: number | undefined) =>
  decimals === undefined ? null : toNearestDouble(amount, decimals);

const metadataView = ({ address, metadata, flags }: TokenState) => ({
  address,
  name: metadata?.name ?? null,
  symbol: metadata?.symbol ?? null,
  decimals: metadata?.decimals ?? null,
  flags,
});

export const tokenView = ({ token, totalSupply, point }: TokenAt) => ({
  ...metadataView(token),
  hasMetadata: token.metadata !== undefined,
  totalSupply: totalSupply ?? null,
  totalSupplyDecimal: decimalOf(totalSupply, token.metadata?.decimals),
  firstBlock: token.firstBlock ?? null,
  quarantine: token.quarantine ?? null,
  block: blockView(point),
});

export const tokensView = (page: TokensPage) => ({ ...connection(page, tokenView), block: blockView(page.point) });

export function balancesView(page: BalancesPage) {
  const { token, point } = page.located;
  const decimals = token.metadata?.decimals;
  const nodes = connection(page, ({ account, amount }) => {
    const value = { decimal: decimalOf(amount, decimals), double: doubleOf(amount, decimals) };
    const wallet = { source: "balance", value: amount, valueDecimal: value.decimal, valueDouble: value.double };
    return {
      account,
      total: amount,
      totalDecimal: value.decimal,
      totalDouble: value.double,
      sources: amount === 0n ? [] : [wallet],
    };
  });
  return {
    ...nodes,
    token: tokenView({ token, totalSupply: page.supply, point }),
    block: blockView(point),
    lastSyncedBlock: point.lastSynced,
  };
}

export const accountBalancesView = (page: AccountBalancesPage) => ({
  ...connection(page, ({ token, amount }) => ({
    token: metadataView(token),
    total: amount,
    totalDecimal: decimalOf(amount, token.metadata?.decimals),
    totalDouble: doubleOf(amount, token.metadata?.decimals),
  })),
  block: blockView(page.point),
});
