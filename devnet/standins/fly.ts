// Imitates Fly's (formerly Magpie's) aggregator API: a quote with an id, the transaction fetched by that id, slippage as a
// fraction, the gas limit in `resourceEstimate` (as clients of its `aggregator/quote` and `aggregator/transaction` read it).
import { randomUUID } from "node:crypto";
import type { Address, Hex } from "viem";
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

interface Made {
  to: Address;
  data: Hex;
}

/** Quotes are valid for half a minute; the oldest are forgotten first. */
const MOST_QUOTES = 1_000;
const made = new Map<string, Made>();

function remember(transaction: Made): string {
  const id = randomUUID();
  made.set(id, transaction);
  for (const oldest of made.keys()) {
    if (made.size <= MOST_QUOTES) break;
    made.delete(oldest);
  }
  return id;
}

async function quote(query: URLSearchParams, desk: Desk): Promise<Reply> {
  needed(query, "network");
  const ask = {
    tokenIn: neededAddress(query, "fromTokenAddress"),
    tokenOut: neededAddress(query, "toTokenAddress"),
    amount: neededAmount(query, "sellAmount"),
  };
  const slippage = Number(needed(query, "slippage"));
  if (!(slippage >= 0 && slippage <= 1)) return { status: 400, body: { statusCode: 400, message: "slippage" } };
  const priced = desk.mode === "no-route" ? undefined : await desk.price(ask);
  if (!priced) return { status: 400, body: { statusCode: 400, message: "No route found" } };
  if (desk.mode === "refusing") return { body: { statusCode: 400, message: "Quote failed" } };
  const promise = promised(priced.amount, desk);
  const receiver = neededAddress(query, "toAddress");
  const id = remember({ to: targetOf(ask, desk), data: callData(ask, priced, { promise, receiver, desk }) });
  return {
    body: {
      id,
      amountOut: amountJson(promise, desk),
      targetAddress: desk.executor,
      fees: [{ type: "gas", value: "0" }],
      resourceEstimate: { gasLimit: String(priced.gas) },
      typedData: { message: { amountOutMin: "0", deadline: String(Math.floor(Date.now() / 1000) + 1200) } },
    },
  };
}

function transaction(query: URLSearchParams, desk: Desk): Reply {
  const found = made.get(needed(query, "quoteId"));
  if (!found || desk.mode === "partial") return { status: 404, body: { statusCode: 404, message: "Quote expired" } };
  return { body: { from: desk.executor, to: found.to, value: "0", data: found.data } };
}

export const flyStandIn: StandIn = {
  name: "Fly",
  basePath: "",
  async answer({ path, query }, desk) {
    if (path === "/aggregator/quote") return quote(query, desk);
    return path === "/aggregator/transaction" ? transaction(query, desk) : undefined;
  },
};
