// What OpenOcean answers: an envelope whose `code` is the true status, and in it the quote.
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
import type { ProviderPath, ProviderRequest } from "../../provider.ts";
import { ProviderFailure } from "../../provider-failure.ts";

const part = z.object({
  from: address,
  to: address,
  dexes: z.array(z.object({ dex: label, id: address })),
});

const way = z
  .object({ routes: z.array(z.object({ percentage: z.string(), subRoutes: z.array(part) })) })
  .optional()
  .catch(undefined);

const envelope = z.object({
  code: z.string(),
  error: z.string().optional().catch(undefined),
  errorMsg: z.string().optional().catch(undefined),
  message: z.string().optional().catch(undefined),
});

const side = z.object({ address: namedToken }).optional().catch(undefined);

const quote = z.object({
  inToken: side,
  outToken: side,
  inAmount: amount,
  outAmount: positiveAmount,
  estimatedGas: gasUnits,
  path: way,
});
export type Quoted = z.output<typeof quote>;

const transaction = quote.extend({ to: address, data: calldata, value: sentWei });
export type Swap = z.output<typeof transaction>;

export const quoted = z.object({ data: quote });
export const swap = z.object({ data: transaction });
export const reversed = z.object({
  data: z.object({ reverseAmount: positiveAmount, estimatedGas: gasUnits }),
});

/** Bounded between its words: nothing else runs while a text of half a megabyte is searched again from each of its words on. */
const NO_ROUTE =
  /no (?:available )?(?:route|path|liquidity)|not (?:enough|support).{0,100}liquidity|insufficient liquidity/i;

/** The failure that the envelope reports; undefined when it reports success. */
export function refusal(body: unknown): ProviderFailure | undefined {
  const parsed = envelope.safeParse(body);
  if (!parsed.success) return new ProviderFailure("error", "answered out of shape: code is missing");
  const { code, error, errorMsg, message } = parsed.data;
  if (code === "200") return undefined;
  const said = errorMsg ?? error ?? message ?? "";
  if (code === "429") return new ProviderFailure("rate_limited", `code 429: ${said}`, { retryAfterMs: 10_000 });
  if (NO_ROUTE.test(said)) return new ProviderFailure("no_route", `code ${code}: ${said}`);
  const facts = { isTransient: code.startsWith("5"), isRefusal: code === "400" };
  return new ProviderFailure("error", `code ${code}: ${said}`, facts);
}

/** Its paths where every step of each goes through one pool; none otherwise: shares inside a step have no place in a path. */
export function pathsOf({ path, outAmount }: Quoted, request: ProviderRequest): ProviderPath[] {
  const routes = path?.routes ?? [];
  const isPlain = routes.every(({ subRoutes }) => subRoutes.every(({ dexes }) => dexes.length === 1));
  if (!isPlain) return [];
  const whole = { amountIn: request.amount, amountOut: outAmount };
  return routes.map(({ subRoutes }) => ({
    hops: subRoutes.flatMap(({ from, to, dexes }) =>
      dexes.map(({ dex, id }) => ({ exchange: dex, pool: id, tokenIn: from, tokenOut: to, fee: undefined })),
    ),
    ...(routes.length === 1 ? whole : { amountIn: undefined, amountOut: undefined }),
  }));
}
