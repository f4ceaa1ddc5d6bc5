// Imitates OpenOcean's API, version 4: an envelope whose `code` is the true status, amounts as text, gas as text for quotes
// and as a number for swaps, slippage in percent from 0.05 to 50 (its public reference, "API V4" and "Exact out").
import {
  amountJson,
  callData,
  type Desk,
  needed,
  neededAddress,
  neededAmount,
  promised,
  type Reply,
  type StandIn,
  type StandInRequest,
  type SwapAsk,
  targetOf,
} from "./stand-in.ts";

const refuse = (code: number, error: string, status = 200): Reply => ({ status, body: { code, error } });

function askOf(query: URLSearchParams): SwapAsk {
  needed(query, "gasPriceDecimals");
  return {
    tokenIn: neededAddress(query, "inTokenAddress"),
    tokenOut: neededAddress(query, "outTokenAddress"),
    amount: neededAmount(query, "amountDecimals"),
  };
}

async function swap(query: URLSearchParams, desk: Desk, isSwap: boolean): Promise<Reply> {
  const ask = askOf(query);
  const slippage = Number(query.get("slippage") ?? "1");
  if (!(slippage >= 0.05 && slippage <= 50)) return refuse(400, "slippage out of range", 400);
  const priced = desk.mode === "no-route" ? undefined : await desk.price(ask);
  if (desk.mode === "refusing" || !priced) return refuse(400, "No available route for this pair");
  const promise = promised(priced.amount, desk);
  const side = (address: string) => ({ address, decimals: 18, symbol: "", name: "", usd: "1", volume: 1 });
  const quote = {
    inToken: side(ask.tokenIn),
    outToken: side(ask.tokenOut),
    inAmount: amountJson(desk.mode === "partial" ? ask.amount / 2n : ask.amount, desk),
    outAmount: amountJson(promise, desk),
    estimatedGas: isSwap ? Number(priced.gas) : String(priced.gas),
    path: { from: ask.tokenIn, to: ask.tokenOut, parts: 10, routes: [] },
    save: 0,
    price_impact: "0.01%",
  };
  if (!isSwap) return { body: { code: 200, data: quote } };
  const receiver = neededAddress(query, "account");
  const data = callData(ask, priced, { promise, receiver, desk });
  const minimum = (promise * BigInt(Math.round((100 - slippage) * 100))) / 10_000n;
  const transaction = { minOutAmount: String(minimum), from: receiver, to: targetOf(ask, desk), value: "0" };
  const body = { ...quote, ...transaction, gasPrice: needed(query, "gasPriceDecimals"), data, chainId: 31337 };
  return { body: { code: 200, data: body } };
}

/** Its "in" is the token wanted. */
async function reverseQuote(query: URLSearchParams, desk: Desk): Promise<Reply> {
  const { tokenIn: wanted, tokenOut: paidWith, amount } = askOf(query);
  const ask = { tokenIn: paidWith, tokenOut: wanted, amount, isExactOut: true };
  const priced = desk.mode === "no-route" ? undefined : await desk.price(ask);
  if (desk.mode === "refusing" || !priced) return refuse(400, "No available route for this pair");
  const needs = (priced.amount * 10_000n) / BigInt(desk.factorBps);
  const data = {
    inAmount: String(amount),
    outAmount: String(needs),
    reverseAmount: Number(needs),
    estimatedGas: "200000",
  };
  return { body: { code: 200, data } };
}

export const openOceanStandIn: StandIn = {
  name: "OpenOcean",
  basePath: "/v4/bera",
  async answer({ path, query }: StandInRequest, desk: Desk): Promise<Reply | undefined> {
    if (path === "/v4/bera/quote") return swap(query, desk, false);
    if (path === "/v4/bera/swap") return swap(query, desk, true);
    return path === "/v4/bera/reverseQuote" ? reverseQuote(query, desk) : undefined;
  },
};
