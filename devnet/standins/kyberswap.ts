// Imitates KyberSwap's aggregator API: a route, then calldata built for exactly that route; a code with every answer, 0 for
// success; slippage in basis points, 0 by default; paths as lists of pools (its public reference, "aggregator API").
import { randomUUID } from "node:crypto";
import type { Address } from "viem";
import { exactNumber } from "./raw-json.ts";
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
  type StandInRequest,
  type SwapAsk,
  targetOf,
} from "./stand-in.ts";

const refuse = (code: number, message: string, status = 400): Reply => ({
  status,
  body: { code, message, requestId: "0" },
});

/** A number that no double can hold: a client that sends the route back must not have rounded it. */
const PRICE_LIMIT = exactNumber("1461446703485210103287273052203988822378723970341");

interface Issued {
  ask: SwapAsk;
  priced: Priced;
  /** The route summary as it was sent. */
  text: string;
}

const MOST_ROUTES = 1_000;
const issued = new Map<string, Issued>();

function remember(id: string, route: Issued): void {
  issued.set(id, route);
  for (const oldest of issued.keys()) {
    if (issued.size <= MOST_ROUTES) break;
    issued.delete(oldest);
  }
}

/** Paths in KyberSwap's format; only the ends of a path have known amounts. */
const routeOf = ({ paths }: Priced) =>
  paths.map(({ hops, amountIn, amountOut }) =>
    hops.map(({ pool, tokenIn, tokenOut, exchange }, place) => ({
      pool,
      tokenIn,
      tokenOut,
      exchange,
      poolType: exchange,
      swapAmount: String(place === 0 ? amountIn : 0n),
      amountOut: String(place === hops.length - 1 ? amountOut : 0n),
      poolExtra: { priceLimit: PRICE_LIMIT },
      extra: {},
    })),
  );

async function routes(query: URLSearchParams, desk: Desk): Promise<Reply> {
  const ask = {
    tokenIn: neededAddress(query, "tokenIn"),
    tokenOut: neededAddress(query, "tokenOut"),
    amount: neededAmount(query, "amountIn"),
  };
  const priced = desk.mode === "no-route" ? undefined : await desk.price(ask);
  if (!priced) return refuse(4008, "route not found");
  if (desk.mode === "refusing") return refuse(4010, "route not found", 200);
  const routeID = randomUUID();
  const routeSummary = {
    tokenIn: ask.tokenIn,
    amountIn: String(desk.mode === "partial" ? ask.amount / 2n : ask.amount),
    amountInUsd: "1",
    tokenOut: ask.tokenOut,
    amountOut: amountJson(promised(priced.amount, desk), desk),
    amountOutUsd: "1",
    gas: String(priced.gas),
    gasPrice: query.get("gasPrice") ?? "0",
    gasUsd: "0",
    l1FeeUsd: "0",
    extraFee: { feeAmount: "0", chargeFeeBy: "", isInBps: false, feeReceiver: "" },
    route: routeOf(priced),
    routeID,
    checksum: "1",
    timestamp: Math.floor(Date.now() / 1000),
  };
  remember(routeID, { ask, priced, text: JSON.stringify(routeSummary) });
  return { body: { code: 0, message: "successfully", data: { routeSummary, routerAddress: desk.executor } } };
}

interface BuildBody {
  routeSummary?: { routeID?: string };
  sender?: Address;
  recipient?: Address;
  slippageTolerance?: number;
  ignoreCappedSlippage?: boolean;
}

const CAPPED_BPS = 2_000;

function build({ text, body }: StandInRequest, desk: Desk): Reply {
  const { routeSummary, sender, recipient, slippageTolerance = 0, ignoreCappedSlippage = false } = body as BuildBody;
  const found = issued.get(routeSummary?.routeID ?? "");
  if (!found || !text.includes(found.text)) return refuse(4001, "unable to parse: not the route that was given");
  if (!sender || !recipient) return refuse(40010, "empty sender");
  if (slippageTolerance > CAPPED_BPS && !ignoreCappedSlippage) return refuse(4000, "slippageTolerance: out of range");
  const { ask, priced } = found;
  const promise = promised(priced.amount, desk);
  return {
    body: {
      code: 0,
      message: "successfully",
      data: {
        amountIn: String(ask.amount),
        amountInUsd: "1",
        amountOut: String(promise),
        amountOutUsd: "1",
        gas: String(priced.gas),
        gasUsd: "0",
        outputChange: { amount: "0", percent: 0, level: 0 },
        data: callData(ask, priced, { promise, receiver: recipient, desk }),
        routerAddress: targetOf(ask, desk),
        transactionValue: "0",
      },
    },
  };
}

export const kyberSwapStandIn: StandIn = {
  name: "Kyberswap",
  basePath: "/berachain",
  async answer(request, desk) {
    if (request.path === "/berachain/api/v1/routes") return routes(request.query, desk);
    return request.path === "/berachain/api/v1/route/build" ? build(request, desk) : undefined;
  },
};
