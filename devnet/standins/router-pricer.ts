// Prices of the stand-ins: what our own router quotes over the devnet's pools, by HTTP. So prices move with the pools,
// ranking offers makes sense, and their calldata can be executed.
import type { Address, Hex } from "viem";
import { z } from "zod";
import type { PricedHop, Pricer } from "./stand-in.ts";

const address = z.custom<Address>((value) => typeof value === "string" && /^0x[0-9a-f]{40}$/.test(value));
const hex = z.custom<Hex>((value) => typeof value === "string" && /^0x[0-9a-f]*$/.test(value));

const hop = z.object({
  type: z.string(),
  address,
  tokenIn: z.object({ address }),
  tokenOut: z.object({ address }),
  fee: z.string(),
  amountIn: z.string().optional(),
  amountOut: z.string().optional(),
});

const routerQuote = z.object({
  quote: z.string(),
  gasUseEstimate: z.string(),
  route: z.array(z.array(hop)),
  methodParameters: z.object({ calldata: hex, to: address }).optional(),
});

const hopOf = ({ type, address: pool, tokenIn, tokenOut, fee }: z.output<typeof hop>): PricedHop => ({
  pool,
  tokenIn: tokenIn.address,
  tokenOut: tokenOut.address,
  exchange: type === "v2-pool" ? "uniswap-v2" : "uniswap-v3",
  fee: Number(fee),
});

export interface RouterPlace {
  /** Sends a GET of this path and query to the gateway. */
  get(pathAndQuery: string): Promise<{ status: number; body: unknown }>;
  chainId: number;
  /** The contract that receives what the calldata buys. */
  executor: Address;
}

/** Asks `/router/quote`; the executor's own swap accepts any output, as pools may have moved by then. */
export const routerPricer =
  ({ get, chainId, executor }: RouterPlace): Pricer =>
  async ({ tokenIn, tokenOut, amount, isExactOut = false }) => {
    const query = new URLSearchParams({
      tokenInAddress: tokenIn,
      tokenOutAddress: tokenOut,
      tokenInChainId: String(chainId),
      tokenOutChainId: String(chainId),
      amount: String(amount),
      type: isExactOut ? "exactOut" : "exactIn",
      recipient: executor,
      slippageTolerance: "50",
      deadline: "86400",
    });
    const { status, body } = await get(`/router/quote?${query}`);
    if (status === 404) return undefined;
    if (status !== 200) throw new Error(`the router answered ${status}`);
    const found = routerQuote.parse(body);
    return {
      amount: BigInt(found.quote),
      gas: BigInt(found.gasUseEstimate),
      paths: found.route.map((hops) => ({
        hops: hops.map(hopOf),
        amountIn: BigInt(hops[0]?.amountIn ?? 0),
        amountOut: BigInt(hops.at(-1)?.amountOut ?? 0),
      })),
      call: found.methodParameters && { router: found.methodParameters.to, data: found.methodParameters.calldata },
    };
  };

/** The router of a gateway at `url`, which may need a key. */
export const gatewayGet =
  (url: string, key?: string): RouterPlace["get"] =>
  async (pathAndQuery) => {
    const headers: Record<string, string> = key === undefined ? {} : { "x-api-key": key };
    const response = await fetch(`${url}${pathAndQuery}`, { headers, signal: AbortSignal.timeout(5_000) });
    return { status: response.status, body: await response.json() };
  };
