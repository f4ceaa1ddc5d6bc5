// What KyberSwap answers: a code, a message and data; 0 is success.
import { z } from "zod";
import {
  address,
  amount,
  calldata,
  gasUnits,
  label,
  namedToken,
  positiveAmount,
  sentWei,
} from "../../answer-fields.ts";
import type { ProviderPath } from "../../provider.ts";
import { ProviderFailure } from "../../provider-failure.ts";
import type { ProviderReply } from "../../provider-http.ts";

const step = z.object({
  pool: address,
  tokenIn: address,
  tokenOut: address,
  swapAmount: amount,
  amountOut: amount,
  exchange: label,
});

const route = z.array(z.array(step)).optional().default([]).catch([]);

export const routed = z.object({
  data: z.object({
    routeSummary: z.object({
      tokenIn: namedToken,
      tokenOut: namedToken,
      amountIn: amount,
      amountOut: positiveAmount,
      gas: gasUnits,
      route,
      routeID: z.string().max(200).optional().catch(undefined),
    }),
    routerAddress: address,
  }),
});
export type Routed = z.output<typeof routed>;

export const built = z.object({
  data: z.object({
    amountIn: amount,
    amountOut: positiveAmount,
    data: calldata,
    routerAddress: address,
    transactionValue: sentWei,
  }),
});

const envelope = z.object({ code: z.string(), message: z.string().optional().catch(undefined) });

/** Route not found, no eligible pools, token not found, amount too big for the pools. */
const NO_ROUTE = new Set(["4008", "4009", "4010", "4011"]);

/** The failure that the answer reports; undefined when it reports success. */
export function refusalOf({ isOk, status, body }: ProviderReply): ProviderFailure | undefined {
  const parsed = envelope.safeParse(body);
  if (!parsed.success) return new ProviderFailure("error", `answered ${status} out of shape: code is missing`);
  const { code, message = "" } = parsed.data;
  if (isOk && code === "0") return undefined;
  if (NO_ROUTE.has(code)) return new ProviderFailure("no_route", `code ${code}: ${message}`);
  const isRefusal = /^4\d{3}/.test(code);
  return new ProviderFailure("error", `code ${code}: ${message}`, { isTransient: code === "500", isRefusal });
}

/** A path's first step names what goes in, its last one what comes out. */
export const pathsOf = (paths: z.output<typeof route>): ProviderPath[] =>
  paths.flatMap((steps) => {
    const [first, last] = [steps[0], steps.at(-1)];
    if (!first || !last) return [];
    const hops = steps.map(({ pool, tokenIn, tokenOut, exchange }) => ({
      exchange,
      pool,
      tokenIn,
      tokenOut,
      fee: undefined,
    }));
    return [{ hops, amountIn: first.swapAmount, amountOut: last.amountOut }];
  });
