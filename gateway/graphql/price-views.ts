// Prices in the shapes of schema.graphql. Renaming and formatting only.
import { USD_DECIMALS } from "../../core/prices/usd.ts";
import type { BlockPoint } from "../history/point.ts";
import { decimalOf, toExactDecimal } from "../numbers.ts";
import { type TokenPrice, toUsdNumber } from "../prices/price.ts";
import type { PriceHistory } from "../questions/price-history.ts";
import type { PricedToken, TokenPrices } from "../questions/token-prices.ts";
import { blockView } from "./views.ts";

export const priceView = (price: TokenPrice | undefined, point: BlockPoint) =>
  price
    ? {
        usd: toExactDecimal(price.usd, USD_DECIMALS),
        usdDouble: toUsdNumber(price.usd),
        strategy: price.strategy,
        path: price.path,
        block: blockView(point),
      }
    : null;

export const strategyOf = (price: TokenPrice | undefined) => price?.strategy ?? "none";

export const tokenPricesView = ({ entries, point }: TokenPrices) =>
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

export const priceHistoryView = ({ token, entries }: PriceHistory) => ({
  token,
  nodes: entries.map(({ point, price }) => ({
    block: blockView(point),
    price: priceView(price, point),
    priceStrategy: strategyOf(price),
  })),
});
