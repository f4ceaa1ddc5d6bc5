// Imitates Enso's shortcuts API: a bearer key, slippage in basis points, the transaction always there, amounts as text or
// in lists (the types of its published client, route endpoint).
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
  targetOf,
} from "./stand-in.ts";

const GAS = 300_000;

async function route(query: URLSearchParams, desk: Desk): Promise<Reply> {
  needed(query, "chainId");
  const ask = {
    tokenIn: neededAddress(query, "tokenIn"),
    tokenOut: neededAddress(query, "tokenOut"),
    amount: neededAmount(query, "amountIn"),
  };
  const from = neededAddress(query, "fromAddress");
  if (!/^\d{1,5}$/.test(needed(query, "slippage"))) return { status: 400, body: { message: "slippage" } };
  const priced = desk.mode === "no-route" ? undefined : await desk.price(ask);
  if (!priced) return { status: 400, body: { message: "Could not build shortcuts: no route found", statusCode: 400 } };
  if (desk.mode === "refusing") return { body: { message: "Something went wrong", statusCode: 400 } };
  const promise = promised(priced.amount, desk);
  const receiver = query.get("receiver") === null ? from : neededAddress(query, "receiver");
  const data = callData(ask, priced, { promise, receiver, desk });
  const answer = {
    route: [
      { tokenIn: [ask.tokenIn], tokenOut: [ask.tokenOut], protocol: "enso", action: "swap", primary: desk.executor },
    ],
    gas: desk.mode === "numbers" ? GAS : String(GAS),
    amountOut: desk.mode === "numbers" ? amountJson(promise, desk) : [String(promise)],
    minAmountOut: String(promise),
    createdAt: 1,
    priceImpact: 1,
    feeAmount: [],
  };
  if (desk.mode === "partial") return { body: answer };
  return { body: { ...answer, tx: { to: targetOf(ask, desk), data, from, value: "0" } } };
}

export const ensoStandIn: StandIn = {
  name: "Enso",
  basePath: "/api/v1",
  async answer({ path, query, headers }, desk) {
    if (!/^Bearer \S+$/.test(headers.authorization ?? "")) return { status: 401, body: { message: "Unauthorized" } };
    return path === "/api/v1/shortcuts/route" ? route(query, desk) : undefined;
  },
};
