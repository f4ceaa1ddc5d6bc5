// What the product's own router says: a question and its answer without any HTTP shape.
import { type Fraction, ONE, times } from "../../core/lookthrough/fraction.ts";
import { findRoute } from "../../core/router/find-route.ts";
import type { Step } from "../../core/router/pool.ts";
import type { Protocol, RouteRequest, TradeType } from "../../core/router/request.ts";
import type { Route } from "../../core/router/route.ts";
import type { OperationContext } from "../context.ts";
import type { BlockPoint } from "../history/point.ts";
import type { Address } from "../parameters.ts";
import { type GasCost, gasCostIn } from "./gas-price.ts";
import type { RouterPlace } from "./place.ts";
import { routeTokens } from "./route-tokens.ts";
import type { RouteToken } from "./router-state.ts";
import { type SwapTerms, type SwapTransaction, swapTransaction } from "./swap-transaction.ts";

interface OwnQuestion {
  /** Two different tokens; for the native coin the wrapped one. */
  tokenIn: Address;
  tokenOut: Address;
  /** Raw units: of tokenIn for `exactIn`, of tokenOut for `exactOut`. */
  amount: bigint;
  type: TradeType;
  /** All by default. */
  protocols?: readonly Protocol[];
  /** Gas that is used besides the route's own, such as for wrapping. */
  extraGasUnits?: number;
}

export interface OwnQuote {
  point: BlockPoint;
  /** `quote`, `gasUnits`, `quoteGasAdjusted` and legs; a hop's `pool` is its state at the block, before the swap. */
  route: Route;
  /** Gas in the quote's token, rounded up; undefined when it is unknown what gas costs there. */
  gasInQuote: bigint | undefined;
  /** USD × 10^36 of the gas, rounded down; undefined without a price. */
  gasUsd: bigint | undefined;
  /** Base fee of the block and the chain file's tip. */
  gasPriceWei: bigint;
  /** Raw units of tokenOut for one of tokenIn on the best single path, before the swap, fees aside. */
  midPrice: Fraction;
  /** Π(1 − fee) over the pools of the same path. */
  remainingAfterFees: Fraction;
  /** Every token of the route. */
  tokens: ReadonlyMap<Address, RouteToken>;
  /** Unix seconds of the last synced block, which deadlines are counted from. */
  latestTimestamp: number;
  /** SwapRouter02; undefined where the chain has none. */
  router: Address | undefined;
  /** What executes exactly this route; undefined where the chain has no SwapRouter02. */
  transaction(terms: SwapTerms): SwapTransaction | undefined;
}

/**
 * The best route over our own pools at the place's block, by the quote less gas; undefined when there is none.
 * No node is asked: everything comes from the index.
 */
export async function quoteAt(
  context: OperationContext,
  place: RouterPlace,
  question: OwnQuestion,
): Promise<OwnQuote | undefined> {
  const { tokenIn, tokenOut, type } = question;
  const quoteToken = type === "exactIn" ? tokenOut : tokenIn;
  const { decimals } = (await routeTokens(context, place, [quoteToken])).get(quoteToken) ?? {};
  const cost = await gasCostIn(context, place, { address: quoteToken, decimals });
  const found = bestRoute(place, question, cost);
  if (!found) return undefined;
  const { route, router } = found;
  const passed = route.legs.flatMap(({ hops }) => hops.flatMap((hop) => [hop.tokenIn, hop.tokenOut]));
  const tokens = await routeTokens(context, place, [...new Set(passed)] as Address[]);
  return {
    point: place.point,
    gasPriceWei: place.gasPriceWei,
    latestTimestamp: place.latestTimestamp,
    route,
    router,
    tokens,
    gasInQuote: cost.perUnit && route.gasInQuote,
    gasUsd: cost.usdOf(route.gasUnits),
    midPrice: along(route.bestPath, priceBefore),
    remainingAfterFees: along(route.bestPath, feeFactor),
    transaction: (terms) => (router === undefined ? undefined : swapTransaction(route, router, terms)),
  };
}

/** Routes stay in one network: no transaction reaches the pools of two. */
function bestRoute(
  { state }: RouterPlace,
  { extraGasUnits, ...question }: OwnQuestion,
  { perUnit }: GasCost,
): { route: Route; router: Address | undefined } | undefined {
  const quotePerUnit = perUnit ?? { numerator: 0n, denominator: 1n };
  const gas = { quotePerUnit, ...(extraGasUnits === undefined ? {} : { extraUnits: extraGasUnits }) };
  const request: RouteRequest = { ...question, gas };
  const isBetter = (one: Route, than: Route) =>
    question.type === "exactIn"
      ? one.quoteGasAdjusted > than.quoteGasAdjusted
      : one.quoteGasAdjusted < than.quoteGasAdjusted;
  let best: { route: Route; router: Address | undefined } | undefined;
  for (const { graph, router } of state.networks) {
    const route = findRoute(graph, request);
    if (route && (!best || isBetter(route, best.route))) best = { route, router };
  }
  return best;
}

const along = (path: readonly Step[], of: (step: Step) => Fraction): Fraction =>
  path.reduce((product, step) => times(product, of(step)), ONE);

/** Raw units out for one in, at the pool's price. */
function priceBefore({ pool, tokenIn }: Step): Fraction {
  const isZeroIn = pool.token0 === tokenIn;
  const [amount0, amount1] =
    pool.kind === "v3" ? [1n << 192n, pool.sqrtPriceX96 ** 2n] : [pool.reserve0, pool.reserve1];
  return isZeroIn ? { numerator: amount1, denominator: amount0 } : { numerator: amount0, denominator: amount1 };
}

const feeFactor = ({ pool }: Step): Fraction => ({ numerator: BigInt(1_000_000 - pool.fee), denominator: 1_000_000n });
