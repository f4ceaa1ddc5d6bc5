// Imitates Ooga Booga's swap API: a bearer key, `status` Success, Partial or NoWay inside HTTP 200, route steps that point
// into a list of tokens, slippage as a fraction (its public reference, "swap-api").
import type { Address } from "viem";
import {
  amountJson,
  callData,
  type Desk,
  neededAddress,
  neededAmount,
  type Priced,
  promised,
  type Reply,
  type StandIn,
  targetOf,
} from "./stand-in.ts";

const BLOCK = 1;

/** The route's steps, with what every pool takes and gives where that is known: at the ends of a path. */
function stepsOf({ paths }: Priced, tokens: Address[]) {
  const indexOf = (token: Address) => (tokens.includes(token) ? tokens.indexOf(token) : tokens.push(token) - 1);
  return paths.flatMap(({ hops, amountIn, amountOut }) =>
    hops.map((hop, place) => ({
      poolAddress: hop.pool,
      poolType: hop.exchange,
      poolName: hop.exchange,
      liquiditySource: hop.exchange,
      poolFee: hop.fee / 1_000_000,
      tokenFrom: indexOf(hop.tokenIn),
      tokenTo: indexOf(hop.tokenOut),
      share: 1,
      assumedAmountIn: String(place === 0 ? amountIn : 0n),
      assumedAmountOut: String(place === hops.length - 1 ? amountOut : 0n),
    })),
  );
}

async function swap(query: URLSearchParams, desk: Desk): Promise<Reply> {
  const ask = {
    tokenIn: neededAddress(query, "tokenIn"),
    tokenOut: neededAddress(query, "tokenOut"),
    amount: neededAmount(query, "amount"),
  };
  const slippage = Number(query.get("slippage") ?? "0.02");
  if (!(slippage >= 0 && slippage <= 1))
    return {
      status: 422,
      body: { type: "validation", on: "query", found: slippage, message: "slippage", summary: "" },
    };
  const priced = desk.mode === "no-route" ? undefined : await desk.price(ask);
  if (desk.mode === "refusing" || !priced) return { body: { status: "NoWay", blockNumber: BLOCK } };
  const promise = promised(priced.amount, desk);
  const tokens: Address[] = [ask.tokenIn, ask.tokenOut];
  const route = stepsOf(priced, tokens);
  const isPartial = desk.mode === "partial";
  const quote = {
    status: isPartial ? "Partial" : "Success",
    blockNumber: BLOCK,
    tokenFrom: 0,
    tokenTo: 1,
    price: 1,
    priceImpact: -0.001,
    gas: Number(priced.gas),
    gasPrice: "1",
    tokens: tokens.map((address) => ({ address, name: "", symbol: "", decimals: 18 })),
    amountIn: amountJson(isPartial ? ask.amount / 2n : ask.amount, desk),
    amountOutFee: "0",
    assumedAmountOut: amountJson(promise, desk),
    route,
  };
  if (query.get("to") === null) return { body: quote };
  const receiver = neededAddress(query, "to");
  const data = callData(ask, priced, { promise, receiver, desk });
  return {
    body: { ...quote, tx: { to: targetOf(ask, desk), data, value: "0" }, routerAddr: desk.executor, routerParams: {} },
  };
}

export const oogaBoogaStandIn: StandIn = {
  name: "OogaBooga",
  basePath: "",
  async answer({ path, query, headers }, desk) {
    if (!/^Bearer \S+$/.test(headers.authorization ?? "")) return { status: 401, body: { message: "Unauthorized" } };
    return path === "/v1/swap" ? swap(query, desk) : undefined;
  },
};
