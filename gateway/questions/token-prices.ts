// What tokens are and were worth at a block: a record per item asked, in order, for unknown items too.
import { z } from "zod";
import type { ChainFile } from "../../chains/chain-file.ts";
import { ZERO_ADDRESS } from "../../core/zero-address.ts";
import { ledgerAt } from "../backing/ledger-at.ts";
import type { Operation, OperationContext } from "../context.ts";
import type { BlockChoice } from "../history/block-choice.ts";
import { type BlockPoint, pointOf } from "../history/point.ts";
import { readTokens } from "../history/read-tokens.ts";
import { isBrokenAt, isSeenBy, MetadataPendingError, type TokenState } from "../history/token-state.ts";
import { type Address, address, MOST_LISTED, parseInput } from "../parameters.ts";
import type { TokenPrice } from "../prices/price.ts";
import { behindShares, pricesAt, unpricedBehind } from "../prices/price-book.ts";

export interface PricedToken {
  /** As asked, addresses in lower case. */
  id: string;
  /** Whether any event of it is recorded up to the block. */
  isIndexed: boolean;
  /** Of the native token: the chain's symbol, under which it was asked. */
  native: string | undefined;
  token: TokenState;
  /** Raw units at the block; undefined when unknown: the token is quarantined. */
  totalSupply: bigint | undefined;
  price: TokenPrice | undefined;
  /** Of a share without a price: the tokens behind it that lack one. */
  unpriced: readonly Address[];
}

export interface TokenPrices {
  entries: readonly PricedToken[];
  point: BlockPoint;
  /** Unix seconds of the last synced block. */
  lastSyncedTimestamp: number | undefined;
}

/** `items`: addresses in any case; the zero address and the chain's native symbol mean the wrapped native token. */
interface TokenPricesInput {
  items: readonly string[];
  block: BlockChoice;
}

/** @throws InvalidInputError naming the item; MetadataPendingError; what pointOf and pricesAt throw */
export const tokenPrices: Operation<TokenPricesInput, TokenPrices> = {
  name: "tokenPrices",
  async run({ items, block }, context) {
    const requested = parseItems(context.chain, items);
    const addresses = [...new Set(requested.map(({ token }) => token))];
    const read = await readIndexed(context, { addresses, block });
    const { point, indexed } = read;
    const prices = await pricesAt(context, point, addresses);
    const unpriced = await unpricedBehind(context, point, addresses);
    const entries = requested.flatMap(({ id, token: tokenAddress, native }): PricedToken[] => {
      const found = indexed.get(tokenAddress);
      if (!found) return [];
      const price = found.isIndexed ? prices.get(tokenAddress) : undefined;
      return [{ id, native, ...found, price, unpriced: unpriced.get(tokenAddress) ?? [] }];
    });
    return { entries, point, lastSyncedTimestamp: read.lastSyncedTimestamp };
  },
};

const written = z.object({
  addresses: address
    .array()
    .min(1, "must name at least one address")
    .max(MOST_LISTED, `must name at most ${MOST_LISTED} addresses`),
});

export interface PricesOf {
  prices: ReadonlyMap<Address, TokenPrice>;
  /** Of shares without a price: the tokens behind them that lack one. */
  unpriced: ReadonlyMap<Address, readonly Address[]>;
  /** Of shares, priced or not: the tokens behind them, one level deep. */
  behind: ReadonlyMap<Address, readonly Address[]>;
  point: BlockPoint;
}

/** Only the prices, of addresses that are known to be tokens; before its first event a token has none. @throws what pointOf and pricesAt throw */
export const pricesOf: Operation<{ tokens: readonly Address[]; block: BlockChoice }, PricesOf> = {
  name: "pricesOf",
  async run({ tokens, block }, context) {
    const point = await pointOf(context, block);
    const states = await readTokens(context, tokens);
    const seen = states.flatMap((token) => (isSeenBy(token, point.block) ? [token.address] : []));
    const prices = await pricesAt(context, point, seen);
    const unpriced = await unpricedBehind(context, point, tokens);
    return { prices, unpriced, behind: await behindShares(context, point, tokens), point };
  },
};

interface RequestedItem {
  id: string;
  token: Address;
  native: string | undefined;
}

function parseItems({ nativeSymbol, wrappedNative }: ChainFile, items: readonly string[]): RequestedItem[] {
  const isNative = (item: string) => item === ZERO_ADDRESS || item.toLowerCase() === nativeSymbol.toLowerCase();
  const isWritten = items.map((item) => (isNative(item.trim()) ? ZERO_ADDRESS : item));
  const { addresses } = parseInput(written, { addresses: isWritten });
  return addresses.map((one, i) =>
    one === ZERO_ADDRESS
      ? { id: (items[i] ?? "").trim(), token: wrappedNative.address, native: nativeSymbol }
      : { id: one, token: one, native: undefined },
  );
}

type Indexed = Pick<PricedToken, "isIndexed" | "token" | "totalSupply">;

/** What the index knows of each token at the block. */
async function readIndexed(
  context: OperationContext,
  { addresses, block }: { addresses: readonly Address[]; block: BlockChoice },
): Promise<Pick<TokenPrices, "point" | "lastSyncedTimestamp"> & { indexed: ReadonlyMap<Address, Indexed> }> {
  const { snapshot } = context;
  const point = await pointOf(context, block);
  const tokens = await readTokens(context, addresses);
  const supplies = await ledgerAt(context, point).supplies(addresses);
  const indexed = tokens.map((token, i): [Address, Indexed] => {
    const { address: own, metadata } = token;
    const isIndexed = isSeenBy(token, point.block);
    if (isIndexed && metadata === undefined) throw new MetadataPendingError(own);
    return [own, { isIndexed, token, totalSupply: isBrokenAt(token, point) ? undefined : supplies[i] }];
  });
  return {
    point,
    indexed: new Map(indexed),
    lastSyncedTimestamp: snapshot.state.lastSyncedTimestamp ?? point.timestamp,
  };
}
