// What tokens are worth: field -> operation, and the answers in the shapes of schema.graphql.
import DataLoader from "dataloader";
import { z } from "zod";
import { USD_DECIMALS } from "../../core/prices/usd.ts";
import type { RequestScope } from "../context.ts";
import { type BlockChoice, blockNumbered } from "../history/block-choice.ts";
import type { BlockPoint } from "../history/point.ts";
import { memoPerObject } from "../memo-per-object.ts";
import { decimalOf, toExactDecimal } from "../numbers.ts";
import { type Address, parseInput } from "../parameters.ts";
import { type TokenPrice, toUsdNumber } from "../prices/price.ts";
import { MOST_PRICE_POINTS, type PriceHistory, priceHistory } from "../questions/price-history.ts";
import { type PricedToken, pricesOf, type TokenPrices, tokenPrices } from "../questions/token-prices.ts";
import {
  type BlockArgument,
  blockChoice,
  type ChainArgument,
  type Context,
  chainId,
  type RangeArguments,
  rangeOf,
} from "./arguments.ts";
import { blockView } from "./views.ts";

const POINTS_RULE = `must be at most ${MOST_PRICE_POINTS}; for more ask for parts of the range, one by one`;

const spacing = z.object({
  points: z.number().int().min(1, "must be at least 1").max(MOST_PRICE_POINTS, POINTS_RULE),
});

export const priceQueries = {
  async tokenPrices(_: unknown, args: { addresses: string[] } & BlockArgument & ChainArgument, { scope }: Context) {
    const input = { items: args.addresses, block: blockChoice(args.block) };
    return tokenPricesView(await scope.run(tokenPrices, input, chainId(args)));
  },

  async priceHistory(
    _: unknown,
    args: { token: Address; points?: number | null } & RangeArguments,
    { scope }: Context,
  ) {
    const { points } = parseInput(spacing, { points: args.points ?? 24 });
    const input = { token: args.token, ...rangeOf(args), points };
    return priceHistoryView(await scope.run(priceHistory, input, chainId(args)));
  },
};

interface TokenParent {
  address: Address;
  block: { number: number };
  chainId: number | undefined;
}

interface Priced {
  price: TokenPrice | undefined;
  unpriced: readonly Address[];
  point: BlockPoint;
}

/** By request, chain and block: all tokens of an answer that ask about one block are asked for together. */
const priceLoadersOf = memoPerObject(() => new Map<string, DataLoader<Address, Priced>>());

function loaderOf(scope: RequestScope, { chain, block }: { chain: number | undefined; block: BlockChoice }) {
  const ofScope = priceLoadersOf(scope);
  const name = `${chain} ${JSON.stringify(block)}`;
  const stored = ofScope.get(name);
  if (stored) return stored;
  const loader = new DataLoader<Address, Priced>(async (tokens) => {
    const { prices, unpriced, point } = await scope.run(pricesOf, { tokens, block }, chain);
    return tokens.map((token) => ({ price: prices.get(token), unpriced: unpriced.get(token) ?? [], point }));
  });
  ofScope.set(name, loader);
  return loader;
}

function priced({ address, block, chainId: chain }: TokenParent, input: BlockArgument, { scope }: Context) {
  const own = blockNumbered(block.number, "block.number");
  return loaderOf(scope, { chain, block: input.block ? blockChoice(input.block) : own }).load(address);
}

/** Fields of `Token`. */
export const tokenPriceFields = {
  async price(token: TokenParent, args: BlockArgument, context: Context) {
    const { price, point } = await priced(token, args, context);
    return priceView(price, point);
  },
  priceStrategy: async (token: TokenParent, args: BlockArgument, context: Context) =>
    strategyOf((await priced(token, args, context)).price),
  unpriced: async (token: TokenParent, args: BlockArgument, context: Context) =>
    (await priced(token, args, context)).unpriced,
};

const priceView = (price: TokenPrice | undefined, point: BlockPoint) =>
  price
    ? {
        usd: toExactDecimal(price.usd, USD_DECIMALS),
        usdDouble: toUsdNumber(price.usd),
        strategy: price.strategy,
        path: price.path,
        block: blockView(point),
      }
    : null;

const strategyOf = (price: TokenPrice | undefined) => price?.strategy ?? "none";

const tokenPricesView = ({ entries, point }: TokenPrices) =>
  entries.map(({ id, native, isIndexed, token, totalSupply, price, unpriced }: PricedToken) => {
    const { name, symbol, decimals } = (isIndexed ? token.metadata : undefined) ?? {};
    return {
      id,
      address: token.address,
      known: isIndexed,
      name: native ?? name ?? null,
      symbol: native ?? symbol ?? null,
      decimals: decimals ?? null,
      totalSupply: (isIndexed ? totalSupply : undefined) ?? null,
      totalSupplyDecimal: decimalOf(totalSupply, decimals),
      price: priceView(price, point),
      priceStrategy: strategyOf(price),
      unpriced,
    };
  });

const priceHistoryView = ({ token, entries }: PriceHistory) => ({
  token,
  nodes: entries.map(({ point, price }) => ({
    block: blockView(point),
    price: priceView(price, point),
    priceStrategy: strategyOf(price),
  })),
});
