// Random questions to the router of a made-up market, and its answers with their transactions.
import type { Address } from "viem";
import { amountInMaximumRoundingUp, minAmountOutRoundingDown } from "../../core/aggregator/limits.ts";
import { percentFraction } from "../../core/aggregator/percent.ts";
import { findRoute } from "../../core/router/find-route.ts";
import { buildGraph } from "../../core/router/graph.ts";
import type { RouteRequest, TradeType } from "../../core/router/request.ts";
import type { Route } from "../../core/router/route.ts";
import { type SwapTransaction, swapTransaction } from "../../gateway/router/swap-transaction.ts";
import { amountOf, depthOf, type Market, PROTOCOLS, pickOne, type Random } from "../../verify/quotes/questions.ts";
import { COINS, DEADLINE, type MadeMarket } from "./made-market.ts";

/** An answer, ready to be carried out. */
export interface AnsweredRoute {
  route: Route;
  tokenIn: Address;
  tokenOut: Address;
  /** The native coin is used in place of the wrapped one. */
  isNativeIn: boolean;
  isNativeOut: boolean;
  /** The least that may be received (`exactIn`), or the most that may be taken (`exactOut`). */
  limit: bigint;
  transaction: SwapTransaction;
}

export const RECIPIENT: Address = "0x000000000000000000000000000000000007ade1";

/** As many answers as wanted, unless most questions have none. */
export function answerAtRandom(
  { made, market, random }: { made: MadeMarket; market: Market; random: Random },
  count: number,
): AnsweredRoute[] {
  const graph = buildGraph([...market.pools.values()].map(({ pool }) => pool));
  const answers: AnsweredRoute[] = [];
  for (let tries = 0; answers.length < count && tries < 4 * count; tries++) {
    const request = drawRequest(market, random);
    const route = request && findRoute(graph, request);
    const answer = request && route && answered(made, { request, route, random });
    if (answer && isAffordable(made, answer)) answers.push(answer);
  }
  return answers;
}

/** The trader has more of every token than pools take, except the coin. */
function isAffordable({ tokens }: MadeMarket, { route, tokenIn, limit }: AnsweredRoute): boolean {
  const most = route.type === "exactIn" ? route.amountIn : limit;
  return tokenIn !== tokens[0]?.address || most <= COINS;
}

function drawRequest(market: Market, random: Random): RouteRequest | undefined {
  const pools = [...market.pools.values()].map(({ pool }) => pool);
  const [sold, bought] = [pickOne(random, pools), pickOne(random, pools)];
  if (!sold || !bought) return undefined;
  const tokenIn = random() < 0.5 ? sold.token0 : sold.token1;
  const tokenOut = bought.token0 === tokenIn || random() < 0.5 ? bought.token1 : bought.token0;
  if (tokenIn === tokenOut) return undefined;
  const type: TradeType = random() < 0.35 ? "exactOut" : "exactIn";
  const amount =
    type === "exactIn" ? amountOf(random, depthOf(sold, tokenIn), 2) : amountOf(random, depthOf(bought, tokenOut), 0.7);
  const protocols = pickOne(random, PROTOCOLS);
  const numerator = BigInt(Math.floor(10 ** (12 * random())));
  return {
    tokenIn,
    tokenOut,
    amount,
    type,
    ...(protocols ? { protocols } : {}),
    ...(random() < 0.3 ? { gas: { quotePerUnit: { numerator, denominator: 10n ** 6n } } } : {}),
    ...(random() < 0.2 ? { maxHops: 1 + Math.floor(random() * 5) } : {}),
  };
}

function answered(
  { tokens, router }: MadeMarket,
  { request, route, random }: { request: RouteRequest; route: Route; random: Random },
): AnsweredRoute {
  const wrapped = tokens[0]?.address;
  const [tokenIn, tokenOut] = [request.tokenIn as Address, request.tokenOut as Address];
  const isNativeIn = tokenIn === wrapped && random() < 0.5;
  const isNativeOut = tokenOut === wrapped && random() < 0.5;
  const slippage = percentFraction(pickOne(random, ["0", "0.1", "0.5", "1", "5"]) ?? "1");
  const { quote } = route;
  const limit =
    route.type === "exactIn"
      ? minAmountOutRoundingDown({ quote, refFee: 0n, slippage })
      : amountInMaximumRoundingUp({ quote, slippage });
  const terms = { recipient: RECIPIENT, limit, deadline: DEADLINE, isNativeIn, isNativeOut };
  const transaction = swapTransaction(route, router, terms);
  return { route, tokenIn, tokenOut, isNativeIn, isNativeOut, limit, transaction };
}
