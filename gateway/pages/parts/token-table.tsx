// Tokens in a table: what they are, what they are worth, how many hold them.
import type { Address } from "../../parameters.ts";
import { usdValue } from "../../prices/price.ts";
import { holdersCounts } from "../../questions/holders-count.ts";
import { pricesOf } from "../../questions/token-prices.ts";
import type { TokenAt } from "../../questions/tokens.ts";
import { atBlock, type ShownBlock, type ViewRequest } from "../view.ts";
import { NameLink } from "./address.tsx";
import { DataTable } from "./data-table.tsx";
import { Amount, Count, Unknown, Usd } from "./shown-number.tsx";
import { ShownText } from "./shown-text.tsx";

/** A token with what it is worth. */
export interface WorthyToken extends TokenAt {
  /** USD × 10^36 of one whole token. */
  price: bigint | undefined;
  /** USD × 10^36 of its whole supply. */
  value: bigint | undefined;
}

/** The tokens with their prices at `at.block`. @throws what pricesOf throws */
export async function withPrices(
  { ask }: Pick<ViewRequest, "ask">,
  at: ShownBlock,
  entries: readonly TokenAt[],
): Promise<WorthyToken[]> {
  const { prices } = await ask(pricesOf, { tokens: entries.map(({ token }) => token.address), block: atBlock(at) });
  return entries.map((entry) => {
    const price = prices.get(entry.token.address);
    const decimals = entry.token.metadata?.decimals;
    const isKnown = price !== undefined && decimals !== undefined && entry.totalSupply !== undefined;
    return {
      ...entry,
      price: price?.usd,
      value: isKnown ? usdValue(price, entry.totalSupply ?? 0n, decimals) : undefined,
    };
  });
}

/** By token; undefined where its holders are unknown. @throws errors that concern all tokens */
export async function holdersOf(
  { ask }: Pick<ViewRequest, "ask">,
  at: ShownBlock,
  tokens: readonly Address[],
): Promise<ReadonlyMap<Address, number | undefined>> {
  const counts = await ask(holdersCounts, { tokens, block: atBlock(at) });
  return new Map(tokens.map((token, i) => [token, counts[i]?.holders]));
}

/** Of REST; undefined for no tokens, which it does not take. */
export function tokensPath(
  { chain }: Pick<ViewRequest, "chain">,
  { block }: ShownBlock,
  tokens: readonly TokenAt[],
): string | undefined {
  if (tokens.length === 0) return undefined;
  const addresses = tokens.map(({ token }) => token.address).join(",");
  return `/tokens?addresses=${addresses}&blockNumber=${block}&chainId=${chain.chainId}`;
}

interface TokenTableProps {
  request: ViewRequest;
  at: ShownBlock;
  caption: string;
  empty: string;
  tokens: readonly WorthyToken[];
  /** By token; without it there is no such column. */
  holders?: ReadonlyMap<Address, number | undefined>;
  made?: string;
}

export function TokenTable({ request, at, caption, empty, tokens, holders, made }: TokenTableProps) {
  const columns = [
    { head: "Token" },
    { head: "Name" },
    { head: "Price", isNumber: true },
    { head: "Supply", isNumber: true },
    { head: "Value", isNumber: true },
    ...(holders ? [{ head: "Holders", isNumber: true }] : []),
  ];
  const rows = tokens.map(({ token, totalSupply, price, value }) => [
    <NameLink request={request} at={at} subject="token" address={token.address} symbol={token.metadata?.symbol} />,
    <ShownText text={token.metadata?.name} />,
    <Usd usd={price} made={made} />,
    <Amount raw={totalSupply} decimals={token.metadata?.decimals} made={made} />,
    <Usd usd={value} made={made} />,
    ...(holders ? [<Holders count={holders.get(token.address)} made={made} />] : []),
  ]);
  return <DataTable caption={caption} columns={columns} rows={rows} empty={empty} />;
}

function Holders({ count, made }: { count: number | undefined; made?: string | undefined }) {
  return count === undefined ? (
    <Unknown why="its balances are unknown: see Status" />
  ) : (
    <Count count={count} made={made} />
  );
}
