// One quote of the router: what was asked, the best route for it, and the transaction that executes it.
import { createHash } from "node:crypto";
import type { ChainFile } from "../../chains/chain-file.ts";
import { amountInMaximumRoundingUp, minAmountOutRoundingDown } from "../../core/aggregator/limits.ts";
import { percentFraction } from "../../core/aggregator/percent.ts";
import { priceImpactRoundingToZero } from "../../core/aggregator/price-impact.ts";
import { UNWRAP_GAS, WRAP_GAS } from "../../core/router/gas.ts";
import type { TradeType } from "../../core/router/request.ts";
import type { Leg } from "../../core/router/route.ts";
import type { OperationContext } from "../context.ts";
import { InvalidInputError } from "../errors.ts";
import type { BlockPoint } from "../history/point.ts";
import { MetadataPendingError, TokenNotStandardError, TokenNotTrackedError } from "../history/token-state.ts";
import type { Address } from "../parameters.ts";
import { gasCostIn } from "./gas-price.ts";
import { type TokenChoice, tokenChoice } from "./native-token.ts";
import { NoRouteError, whyNoRoute } from "./no-route.ts";
import { type OwnQuote, quoteAt } from "./own-quote.ts";
import type { RouterPlace } from "./place.ts";
import type { QuoteRequest } from "./quote-request.ts";
import { routeText } from "./route-text.ts";
import { routeTokens } from "./route-tokens.ts";
import type { RouteToken } from "./router-state.ts";
import { type SwapTransaction, wrapTransaction } from "./swap-transaction.ts";
import { isGathered, sweptFromRouter } from "./swept-from-router.ts";

/** A token of the question; the native coin goes by its wrapped token's address. */
export type QuotedToken = TokenChoice & { symbol: string | undefined; decimals: number };

export interface RouterQuote {
  point: BlockPoint;
  type: TradeType;
  tokenIn: QuotedToken;
  tokenOut: QuotedToken;
  /** Raw units: of tokenIn for `exactIn`, of tokenOut for `exactOut`; `quote` is of the other one. */
  amount: bigint;
  quote: bigint;
  /** Raw units of tokenOut that lie in the router and are paid on top: of a swap that pays by way of it, else 0. */
  sweptFromRouter: bigint;
  /** After gas; undefined as `gasInQuote` is. */
  quoteGasAdjusted: bigint | undefined;
  /** Rounded up; undefined when it is unknown what gas costs in that token. */
  gasInQuote: bigint | undefined;
  gasUnits: bigint;
  /** USD × 10^36, rounded down; undefined without a price. */
  gasUsd: bigint | undefined;
  gasPriceWei: bigint;
  /** A decimal fraction, fees excluded, negative when adverse: of the best single path's price before the swap. */
  priceImpact: string;
  /** None where the native coin is only wrapped or unwrapped. */
  legs: readonly Leg[];
  tokens: ReadonlyMap<Address, RouteToken>;
  routeText: string;
  /** Names question and block: asking again gives the same. */
  quoteId: string;
  /** Only with a recipient and a slippage. */
  transaction: SwapTransaction | undefined;
}

interface QuoteTerms {
  request: QuoteRequest;
  tokenIn: TokenChoice;
  tokenOut: TokenChoice;
}

/** @throws InvalidInputError; NoRouteError; TokenNotTrackedError, TokenNotStandardError, MetadataPendingError for a token without decimals */
export async function makeQuote(
  context: OperationContext,
  place: RouterPlace,
  request: QuoteRequest,
): Promise<RouterQuote> {
  const { chain } = context;
  const tokenIn = tokenChoice(request.tokenInAddress, chain, "tokenInAddress");
  const tokenOut = tokenChoice(request.tokenOutAddress, chain, "tokenOutAddress");
  if (request.type === "exactOut" && request.protocols?.every((protocol) => protocol === "mixed"))
    throw new InvalidInputError("protocols", "mixed routes exist for exactIn alone; add v2 or v3");
  const terms = { request, tokenIn, tokenOut };
  if (tokenIn.address !== tokenOut.address) return swapQuote(context, place, terms);
  if (tokenIn.isNative === tokenOut.isNative)
    throw new InvalidInputError("tokenOutAddress", "is the token that is paid with; name another one");
  return wrapQuote(context, place, terms);
}

async function swapQuote(context: OperationContext, place: RouterPlace, terms: QuoteTerms): Promise<RouterQuote> {
  const { request, tokenIn, tokenOut } = terms;
  const own = await quoteAt(context, place, {
    tokenIn: tokenIn.address,
    tokenOut: tokenOut.address,
    amount: request.amount,
    type: request.type,
    ...(request.protocols ? { protocols: request.protocols } : {}),
    extraGasUnits: (tokenIn.isNative ? WRAP_GAS : 0) + (tokenOut.isNative ? UNWRAP_GAS : 0),
  });
  if (!own) throw noRoute(place, terms);
  const { route, router, gasInQuote } = own;
  const isPaidByRouter = isGathered(route, tokenOut.isNative);
  return {
    ...frameOf(place, terms, own.tokens),
    quote: route.quote,
    sweptFromRouter: isPaidByRouter
      ? await sweptFromRouter(context, place.point, { router, token: tokenOut.address })
      : 0n,
    quoteGasAdjusted: gasInQuote === undefined ? undefined : route.quoteGasAdjusted,
    gasInQuote,
    gasUnits: route.gasUnits,
    gasUsd: own.gasUsd,
    priceImpact: impactOf(own),
    legs: route.legs,
    tokens: own.tokens,
    routeText: routeText(route.legs, own.tokens),
    transaction: swapTransactionOf(own, terms),
  };
}

const impactOf = ({ route: { amountIn, amountOut }, midPrice: mid, remainingAfterFees }: OwnQuote): string =>
  priceImpactRoundingToZero({ amountIn, amountOut, mid, remainingAfterFees });

function swapTransactionOf(own: OwnQuote, { request, tokenIn, tokenOut }: QuoteTerms): SwapTransaction | undefined {
  const { recipient, slippageTolerance, deadline, type } = request;
  if (recipient === undefined || slippageTolerance === undefined) return undefined;
  const slippage = percentFraction(slippageTolerance);
  const { quote } = own.route;
  return own.transaction({
    recipient,
    limit:
      type === "exactIn"
        ? minAmountOutRoundingDown({ quote, refFee: 0n, slippage })
        : amountInMaximumRoundingUp({ quote, slippage }),
    deadline: BigInt(own.latestTimestamp + deadline),
    isNativeIn: tokenIn.isNative,
    isNativeOut: tokenOut.isNative,
  });
}

/** One for one, whatever the type. */
async function wrapQuote(context: OperationContext, place: RouterPlace, terms: QuoteTerms): Promise<RouterQuote> {
  const { request, tokenIn } = terms;
  const { chain } = context;
  const tokens = await routeTokens(context, place, [tokenIn.address]);
  const frame = frameOf(place, terms, tokens);
  const gasUnits = BigInt(tokenIn.isNative ? WRAP_GAS : UNWRAP_GAS);
  const gasInQuote = gasUnits * place.gasPriceWei;
  const { usdOf } = await gasCostIn(context, place, frame.tokenIn);
  const router = place.state.networks[0]?.router;
  const names = tokenIn.isNative
    ? `[WRAP] 100.00% = ${chain.nativeSymbol} --> ${chain.wrappedNative.symbol}`
    : `[UNWRAP] 100.00% = ${chain.wrappedNative.symbol} --> ${chain.nativeSymbol}`;
  return {
    ...frame,
    quote: request.amount,
    sweptFromRouter: await sweptFromRouter(context, place.point, { router, token: tokenIn.address }),
    quoteGasAdjusted: request.type === "exactIn" ? request.amount - gasInQuote : request.amount + gasInQuote,
    gasInQuote,
    gasUnits,
    gasUsd: usdOf(gasUnits),
    priceImpact: "0",
    legs: [],
    tokens,
    routeText: names,
    transaction: wrapTransactionOf(chain, place, terms),
  };
}

function wrapTransactionOf(chain: ChainFile, place: RouterPlace, terms: QuoteTerms): SwapTransaction | undefined {
  const { request, tokenIn } = terms;
  const { recipient, slippageTolerance, deadline, amount } = request;
  const router = place.state.networks[0]?.router;
  if (recipient === undefined || slippageTolerance === undefined || router === undefined) return undefined;
  const wrapping = { wrapped: chain.wrappedNative.address, amount, isWrapping: tokenIn.isNative };
  return wrapTransaction(wrapping, router, { recipient, deadline: BigInt(place.latestTimestamp + deadline) });
}

function frameOf(place: RouterPlace, terms: QuoteTerms, tokens: ReadonlyMap<Address, RouteToken>) {
  const { request, tokenIn, tokenOut } = terms;
  const quoted = (choice: TokenChoice): QuotedToken => ({
    ...choice,
    ...withDecimals(tokens.get(choice.address), choice),
  });
  return {
    point: place.point,
    gasPriceWei: place.gasPriceWei,
    type: request.type,
    amount: request.amount,
    tokenIn: quoted(tokenIn),
    tokenOut: quoted(tokenOut),
    quoteId: quoteId(place.point, terms),
  };
}

/** @throws TokenNotTrackedError, MetadataPendingError, TokenNotStandardError */
function withDecimals(token: RouteToken | undefined, { address }: TokenChoice) {
  if (token?.isUntracked && token.decimals === undefined) throw new TokenNotTrackedError(address);
  if (!token || (token.isUnread && token.decimals === undefined)) throw new MetadataPendingError(address);
  const { symbol, decimals } = token;
  if (decimals === undefined) throw new TokenNotStandardError(address, { reason: "decimals cannot be read" });
  return { symbol, decimals };
}

function quoteId({ block, hash }: BlockPoint, { request, tokenIn, tokenOut }: QuoteTerms): string {
  const { amount, type, protocols, recipient, slippageTolerance, deadline } = request;
  const parts = [block, hash, tokenIn.address, tokenIn.isNative, tokenOut.address, tokenOut.isNative, amount, type];
  const terms = [protocols?.join(","), recipient, slippageTolerance, deadline];
  return createHash("sha256")
    .update([...parts, ...terms].map(String).join(" "))
    .digest("hex")
    .slice(0, 32);
}

function noRoute({ state, point }: RouterPlace, { tokenIn, tokenOut }: QuoteTerms): NoRouteError {
  const reason = whyNoRoute(state, [tokenIn.address, tokenOut.address]);
  return new NoRouteError(reason === undefined ? "No route found" : `No route found: ${reason}`, point.block);
}
