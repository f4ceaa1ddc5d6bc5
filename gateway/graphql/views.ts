// Operations' plain data in the shapes of schema.graphql. Renaming and formatting only.

import type { Unattributed } from "../../core/lookthrough/attribute.ts";
import type { Source } from "../balances/source.ts";
import type { BlockPoint } from "../history/point.ts";
import type { TokenState } from "../history/token-state.ts";
import { decimalOf, toNearestDouble } from "../numbers.ts";
import type { AccountBalancesPage } from "../questions/account-balances.ts";
import type { BalancesPage } from "../questions/balances.ts";
import type { TokenAt, TokensPage } from "../questions/tokens.ts";

export const blockView = ({ block, hash, timestamp }: BlockPoint) => ({
  number: block,
  hash: hash ?? null,
  timestamp: timestamp ?? null,
});

/** A connection over entries that carry their cursors. Edges are made when they are asked for, nodes once. */
export const connection = <Entry extends { cursor: string }, Node>(
  page: { entries: readonly Entry[]; totalCount: number | undefined; hasNextPage: boolean },
  nodeOf: (entry: Entry) => Node,
) => {
  const nodes = page.entries.map(nodeOf);
  return {
    edges: () => page.entries.map((entry, i) => ({ cursor: entry.cursor, node: nodes[i] })),
    nodes,
    pageInfo: { hasNextPage: page.hasNextPage, endCursor: () => page.entries.at(-1)?.cursor ?? null },
    totalCount: page.totalCount,
  };
};

const doubleOf = (amount: bigint, decimals: number | undefined) =>
  decimals === undefined ? null : toNearestDouble(amount, decimals);

export const metadataView = ({ address, metadata, flags }: TokenState) => ({
  address,
  name: metadata?.name ?? null,
  symbol: metadata?.symbol ?? null,
  decimals: metadata?.decimals ?? null,
  flags,
});

/** `chainId` is the argument of the root field, for what is asked of the token further on. */
export const tokenView = ({ token, totalSupply, point }: TokenAt, chainId: number | undefined) => ({
  ...metadataView(token),
  chainId,
  hasMetadata: token.metadata !== undefined,
  totalSupply: totalSupply ?? null,
  totalSupplyDecimal: decimalOf(totalSupply, token.metadata?.decimals),
  firstBlock: token.firstBlock ?? null,
  quarantine: token.quarantine ?? null,
  block: blockView(point),
});

export const tokensView = (page: TokensPage, chainId: number | undefined) => ({
  ...connection(page, (entry) => tokenView(entry, chainId)),
  block: blockView(page.point),
});

export const unattributedView = ({ reason, ...one }: Unattributed, decimals: number | undefined) => ({
  ...one,
  reason: reason.replaceAll("-", "_"),
  amountDecimal: decimalOf(one.amount, decimals),
});

export function balancesView(page: BalancesPage, chainId: number | undefined) {
  const { token, point } = page.located;
  const decimals = token.metadata?.decimals;
  const nodes = connection(page, (entry) => ({
    account: entry.account,
    rank: entry.rank ?? null,
    total: entry.amount,
    totalDecimal: () => decimalOf(entry.amount, decimals),
    totalDouble: () => doubleOf(entry.amount, decimals),
    sources: () => entry.sources.map((source) => sourceView(source, decimals)),
    replacedBy: entry.isIssuer ? "issuer" : null,
  }));
  return {
    ...nodes,
    token: tokenView({ token, totalSupply: page.supply, point }, chainId),
    block: blockView(point),
    lastSyncedBlock: point.lastSynced,
    incomplete: page.incomplete,
    // asked for whenever one of them is
    unattributed: page.rest?.unattributed.map((one) => unattributedView(one, decimals)),
    shortfalls: page.rest?.shortfalls,
  };
}

export function sourceView(source: Source, decimals: number | undefined) {
  const { kind, id, contract, manager, amount, principal, paths } = source;
  const isPosition = kind === "v3-position";
  return {
    source: kind,
    value: amount,
    valueDecimal: decimalOf(amount, decimals),
    valueDouble: doubleOf(amount, decimals),
    contract: kind === "balance" ? null : (contract ?? null),
    positionId: isPosition ? id : null,
    manager: manager ?? null,
    direct: isPosition ? manager === undefined : null,
    principal: principal ?? null,
    fees: principal === undefined ? null : amount - principal,
    paths: paths.map((path) => ({
      assets: path.path,
      value: path.amount,
      valueDecimal: decimalOf(path.amount, decimals),
    })),
  };
}

export const accountBalancesView = (page: AccountBalancesPage) => ({
  ...connection(page, ({ token, amount, sources }) => ({
    token: metadataView(token),
    total: amount,
    totalDecimal: decimalOf(amount, token.metadata?.decimals),
    totalDouble: doubleOf(amount, token.metadata?.decimals),
    sources: sources.map((source) => sourceView(source, token.metadata?.decimals)),
  })),
  block: blockView(page.point),
  replacedBy: page.isIssuer ? "issuer" : null,
  incomplete: page.incomplete,
});
