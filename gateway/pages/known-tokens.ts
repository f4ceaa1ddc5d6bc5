// Tokens that a page names, with what they were worth at its block.
import { sumIfComplete } from "../../core/amounts.ts";
import type { Address } from "../parameters.ts";
import { type TokenPrice, usdValue } from "../prices/price.ts";
import type { MarketHoldings } from "../questions/series.ts";
import { tokensAmong } from "../questions/token-details.ts";
import { pricesOf } from "../questions/token-prices.ts";
import type { TokenAt } from "../questions/tokens.ts";
import { atBlock, type ShownBlock, type ViewRequest } from "./view.ts";

export interface KnownToken extends Pick<TokenAt, "token"> {
  /** Undefined: unpriced. */
  price: TokenPrice | undefined;
  /** Of a share: the tokens behind it, one level deep. */
  behind?: readonly Address[] | undefined;
}

export type KnownTokens = ReadonlyMap<Address, KnownToken>;

/** `addresses` once each; those never heard of have no metadata. @throws what pricesOf throws */
export async function knownTokens(
  { ask }: Pick<ViewRequest, "ask">,
  at: ShownBlock,
  addresses: readonly Address[],
): Promise<KnownTokens> {
  const keys = [...new Set(addresses)];
  if (keys.length === 0) return new Map();
  const tokens = await ask(tokensAmong, { keys, point: at });
  const { prices, behind } = await ask(pricesOf, { tokens: keys, block: atBlock(at) });
  return new Map(
    tokens.map((token) => [
      token.address,
      { token, price: prices.get(token.address), behind: behind.get(token.address) },
    ]),
  );
}

/** Whether a token has a page: one that never moved has none, such as the share of a pair without any deposit. */
export const hasPage = (token: Pick<TokenAt["token"], "assetId"> | undefined): boolean => token?.assetId !== undefined;

/** USD × 10^36 of raw units, rounded down; undefined without price or decimals. */
export function worthOf(known: KnownToken | undefined, amount: bigint | undefined): bigint | undefined {
  const decimals = known?.token.metadata?.decimals;
  if (known?.price === undefined || decimals === undefined || amount === undefined) return undefined;
  return usdValue(known.price, amount, decimals);
}

/** What a market holds of both its tokens; an amount of 0 is worth 0 USD, even without a price. */
export function tvlOf(
  tokens: KnownTokens,
  { token0, token1 }: { token0: Address; token1: Address },
  held: MarketHoldings | undefined,
): bigint | undefined {
  if (held === undefined) return undefined;
  const worth = (token: Address, amount: bigint | undefined) =>
    amount === 0n ? 0n : worthOf(tokens.get(token), amount);
  return sumIfComplete([worth(token0, held[0]), worth(token1, held[1])]);
}
