// What the index says about a swap at the newest block: our own quote, prices, gas, and the tokens themselves. Read in one
// short transaction, which ends before anybody outside is asked.

import type { Fraction } from "../../core/lookthrough/fraction.ts";
import { UNWRAP_GAS, WRAP_GAS } from "../../core/router/gas.ts";
import type { OperationContext } from "../context.ts";
import { readTokens } from "../history/read-tokens.ts";
import { requireDecimals, TokenNotTrackedError } from "../history/token-state.ts";
import type { Address } from "../parameters.ts";
import type { TokenPrice } from "../prices/price.ts";
import { type GasCost, gasCostIn } from "../router/gas-price.ts";
import { type OwnQuote, quoteAt } from "../router/own-quote.ts";
import { type RouterPlace, sharedAt } from "../router/place.ts";
import { storedRouteToken } from "../router/route-tokens.ts";
import type { RouteToken } from "../router/router-state.ts";
import { settledPrices } from "../router/settled-prices.ts";
import type { QuoteInput } from "./quote-input.ts";

export type DecimalToken = RouteToken & { decimals: number };

export interface Market {
  place: RouterPlace;
  tokenIn: DecimalToken;
  tokenOut: DecimalToken;
  /** Of the two tokens; one without a price is missing. */
  prices: ReadonlyMap<Address, TokenPrice>;
  gasCost: GasCost;
  /** Units for wrapping and unwrapping, the same for every provider. */
  wrappingGas: number;
  own: OwnQuote | undefined;
  ownMilliseconds: number;
  /** Raw units of tokenOut for one of tokenIn without fees and impact, by our pools and by our prices. */
  rates: readonly Fraction[];
}

/** @throws TokenNotTrackedError, MetadataPendingError or TokenNotStandardError of a token */
export async function readMarket(context: OperationContext, place: RouterPlace, input: QuoteInput): Promise<Market> {
  const [tokenIn, tokenOut] = await readPair(context, place, input);
  const quoteToken = input.type === "exactIn" ? tokenOut : tokenIn;
  const gasCost = await gasCostIn(context, place, quoteToken);
  const wrappingGas = (input.isNativeIn ? WRAP_GAS : 0) + (input.isNativeOut ? UNWRAP_GAS : 0);
  const started = performance.now();
  const own = isWrapOnly(input) ? undefined : await askOwnRouter(context, place, { input, wrappingGas });
  const ownMilliseconds = Math.round(performance.now() - started);
  const prices = await settledPrices(context, place, [tokenIn.address, tokenOut.address]);
  const rates = [...(own ? [own.midPrice] : []), ...pricedRate({ tokenIn, tokenOut, prices })];
  return { place, tokenIn, tokenOut, prices, gasCost, wrappingGas, own, ownMilliseconds, rates };
}

function askOwnRouter(
  context: OperationContext,
  place: RouterPlace,
  { input, wrappingGas }: { input: QuoteInput; wrappingGas: number },
): Promise<OwnQuote | undefined> {
  const { tokenIn, tokenOut, amount, type, protocols } = input;
  const key = ["quote", tokenIn, tokenOut, amount, type, protocols.join(), wrappingGas].join(" ");
  return sharedAt(place, key, () =>
    quoteAt(context, place, { tokenIn, tokenOut, amount, type, protocols, extraGasUnits: wrappingGas }),
  );
}

/** The native token for its wrapped one or the other way: one for one, and nobody to ask. */
export const isWrapOnly = ({ tokenIn, tokenOut }: Pick<QuoteInput, "tokenIn" | "tokenOut">): boolean =>
  tokenIn === tokenOut;

async function readPair(
  context: OperationContext,
  place: RouterPlace,
  input: QuoteInput,
): Promise<[DecimalToken, DecimalToken]> {
  const { chain, snapshot } = context;
  const withDecimals = async (token: Address): Promise<DecimalToken> => {
    const stored = storedRouteToken(place, token);
    if (stored?.decimals !== undefined) return { ...stored, decimals: stored.decimals };
    await snapshot.open();
    const [state] = await readTokens(context, [token]);
    const listed = chain.knownTokens.find(({ address }) => address === token);
    const isSeen = state?.assetId !== undefined || listed;
    if (!state || !isSeen) throw new TokenNotTrackedError(token);
    const decimals = state.metadata ? requireDecimals(state) : (listed?.decimals ?? requireDecimals(state));
    const symbol = state.metadata?.symbol ?? listed?.symbol;
    return { address: token, symbol, decimals, isUnread: state.metadata === undefined };
  };
  const first = await withDecimals(input.tokenIn);
  return [first, input.tokenOut === input.tokenIn ? first : await withDecimals(input.tokenOut)];
}

function pricedRate({ tokenIn, tokenOut, prices }: Pick<Market, "tokenIn" | "tokenOut" | "prices">): Fraction[] {
  const [given, had] = [prices.get(tokenIn.address), prices.get(tokenOut.address)];
  if (!given || !had) return [];
  return [
    {
      numerator: given.usd * 10n ** BigInt(tokenOut.decimals),
      denominator: had.usd * 10n ** BigInt(tokenIn.decimals),
    },
  ];
}
